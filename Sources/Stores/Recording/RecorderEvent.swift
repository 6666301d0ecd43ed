/// The events of a ``StoreRecorder``'s store: the app's events, and steps through their history.
public enum RecorderEvent<Event: Sendable>: Sendable {
    /// An event of the app. It is recorded, and its effects begin.
    case event(Event)
    /// An event of an effect. It is recorded after all others, also while the recorder has gone back; in that
    /// case the state changes when it is redone.
    case answer(Event)
    /// A replayed event. It is recorded again, and no effect begins; effects that it cancels or replaces are
    /// cancelled.
    case replay(Event)
    /// Goes one event back, if there is one.
    case undo
    /// Goes one event forth again, if one was undone.
    case redo
    /// Goes to the state after that number of events, if there is one.
    case travel(to: Int)
}

extension RecorderEvent: Equatable where Event: Equatable {}

extension RecorderEvent: Hashable where Event: Hashable {}
