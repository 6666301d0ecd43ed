public import PledgeFutures

extension Middleware {
    /// Reports each call to observers: its beginning, its end, and the actions of all policies inside.
    ///
    /// Use it once, as the outermost middleware. The policies find the observers in the ``CallContext``. In a call
    /// without observers, each policy only checks the context. Within a call that is already observed, this adds a
    /// span. Events inside that span go to the new observers as well as to the outer ones, with instants on the
    /// outermost observers' clock. Metrics and recorders that observe both, such as a server's route and its upstreams,
    /// get each event once.
    ///
    /// - Parameters:
    ///   - observers: The observers, which are notified in this order.
    ///   - scheduler: The clock of the events.
    ///   - name: Returns the name of a call's span for an input. It must not hold secrets.
    ///   - classifier: Decides the reported outcome.
    public static func observed(
        by observers: ServiceObserver...,
        on scheduler: some FutureScheduler = .live,
        named name: @escaping @Sendable (Input) -> String = { _ in "call" },
        classifier: Classifier<Output> = .standard
    ) -> Middleware {
        let now: @Sendable () -> SchedulerInstant = { scheduler.now }
        let observers = observers.distinct()
        return Middleware(named: "observed") { service in
            { input in
                let context = CallContext.current
                let span =
                    context.span?.child(toldTo: observers)
                    ?? CallSpan(root: CallTrace(observers: observers, now: now))
                if context.span == nil { context.callBeneath?.noteSpan(span) }
                return context.with(
                    attempt: context.attempt, record: context.record, span: span
                ).callInSpan(
                    name(input), by: "observed", classifier: classifier, service, input)
            }
        }
    }
}
