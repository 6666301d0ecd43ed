/// What a ``Recorder``'s store reduces: the app's events, and steps through their history.
public enum RecorderEvent<Event: Sendable>: Sendable {
    /// Something happened. It is recorded, and its effects begin.
    case event(Event)
    /// Something happened when it was recorded. It is recorded again, and no effect begins.
    case replay(Event)
    /// Goes one event back, if there is one.
    case undo
    /// Goes one event forth again, if one was undone.
    case redo
    /// Goes to the state after so many events, if there is one.
    case travel(to: Int)
}

extension RecorderEvent: Equatable where Event: Equatable {}

extension RecorderEvent: Hashable where Event: Hashable {}
