public import Futures

extension Middleware {
    /// Lets observers hear what all policies beneath do, and when each call begins and ends.
    ///
    /// Said once, outermost. The policies find the observers in the ``CallContext``; a call that is
    /// not observed costs them one look at it. Within a call that is observed already, this adds a
    /// span, and its observers to those further out, on the clock of the outermost.
    ///
    /// - Parameters:
    ///   - observers: The observers that hear the events, in this order.
    ///   - scheduler: The clock that events are dated by.
    ///   - name: What the span of a call with an input is called. It must hold no secrets.
    ///   - classifier: Decides the outcome that is told at the end.
    public static func observed(
        by observers: ServiceObserver...,
        on scheduler: some Scheduler = .live,
        named name: @escaping @Sendable (Input) -> String = { _ in "call" },
        classifier: Classifier<Output> = .standard
    ) -> Middleware {
        let now: @Sendable () -> SchedulerInstant = { scheduler.now }
        return Middleware(named: "observed") { service in
            { input in
                let context = CallContext.current
                let span =
                    context.span?.child(toldTo: observers)
                    ?? CallSpan(root: CallTrace(observers: observers, now: now))
                return context.with(
                    attempt: context.attempt, record: context.record, span: span
                ).callInSpan(
                    name(input), by: "observed", classifier: classifier, service, input)
            }
        }
    }
}
