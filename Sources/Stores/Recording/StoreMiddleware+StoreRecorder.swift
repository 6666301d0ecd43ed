extension StoreMiddleware {
    /// This middleware for the store of a ``StoreRecorder``.
    ///
    /// It gets the app's events and the events of effects. Steps through the history, and replayed events,
    /// bypass it: they went through it when they were recorded.
    func ofRecorder() -> StoreMiddleware<State, RecorderEvent<Event>> {
        StoreMiddleware<State, RecorderEvent<Event>> { context in
            let ready = setUp(DispatchContext(context) { .event($0) })
            return { next in
                let dispatch = ready { event in
                    next(RecorderCall.isOfAnswer ? .answer(event) : .event(event))
                }
                return { event in
                    switch event {
                    case .event(let event):
                        RecorderCall.$isOfAnswer.withValue(false) { dispatch(event) }
                    case .answer(let event):
                        RecorderCall.$isOfAnswer.withValue(true) { dispatch(event) }
                    case .replay, .undo, .redo, .travel: next(event)
                    }
                }
            }
        }
    }
}

/// What a call through a recorder's middleware handles, also in a task that continues it.
private enum RecorderCall {
    /// Whether it handles the event of an effect.
    @TaskLocal static var isOfAnswer = false
}
