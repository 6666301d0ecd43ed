extension DispatchMiddleware {
    /// This middleware around what a ``Recorder``'s store is dispatched.
    ///
    /// It sees what happens and what effects answer. Steps through the history, and events that are
    /// played again, pass it by: they have been through it when they were recorded.
    func ofRecorder() -> DispatchMiddleware<State, RecorderEvent<Event>> {
        DispatchMiddleware<State, RecorderEvent<Event>> { context in
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

/// What a call through a recorder's middleware is about, also where it goes on in a task.
private enum RecorderCall {
    /// Whether it began with the event of an effect.
    @TaskLocal static var isOfAnswer = false
}
