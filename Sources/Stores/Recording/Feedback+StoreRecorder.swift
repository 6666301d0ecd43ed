extension Feedback {
    /// The part of this feedback for the initial state, in the store of a ``StoreRecorder``.
    ///
    /// The timeline handles later states: feedback follows the newest state, not the state that the recorder
    /// has gone back to.
    var ofRecorderAtTheBeginning: Feedback<State, RecorderEvent<Event>> {
        Feedback<State, RecorderEvent<Event>>(step: { old, new in
            old == nil ? step(nil, new).map { .answer($0) } : .none
        })
    }
}
