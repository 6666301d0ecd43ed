public import PledgeFutures

extension Middleware {
    /// Notifies observers of the actions of all policies beneath, and of the beginning and end of each call.
    ///
    /// Use it once, outermost. The policies find the observers in the ``CallContext``; without observers, a
    /// call costs them one check of it. Within a call that is observed already, this adds a span, and adds
    /// its observers to those further out, on the clock of the outermost.
    ///
    /// - Parameters:
    ///   - observers: The observers, which are notified in this order.
    ///   - scheduler: The clock of the events.
    ///   - name: Returns the name of a call's span for an input. It must hold no secrets.
    ///   - classifier: Decides the reported outcome.
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
                if context.span == nil { context.callBeneath?.note(span) }
                return context.with(
                    attempt: context.attempt, record: context.record, span: span
                ).callInSpan(
                    name(input), by: "observed", classifier: classifier, service, input)
            }
        }
    }
}
