extension Feedback {
    /// What this feedback asks for at the beginning, in a ``Recorder``'s store.
    ///
    /// What it asks for later is the timeline's affair: feedback follows the newest state, not the one
    /// that the recorder has gone back to.
    var ofRecorderAtTheBeginning: Feedback<State, RecorderEvent<Event>> {
        Feedback<State, RecorderEvent<Event>>(step: { old, new in
            old == nil ? step(nil, new).map { .answer($0) } : .none
        })
    }
}
