extension Middleware {
    /// Limits the calls in flight; the rest wait for a short time, the most important first, or are refused.
    ///
    /// ```swift
    /// let shedder = LoadShedder(limit: 32)
    /// let api = stack(.loadShedding(sharing: shedder), over: work)
    /// ```
    ///
    /// If a place is free, a call is made at once, on the caller's thread. Waiting calls are made by their
    /// ``CallContext/priority``, each on the thread on which another call ended. A call that has waited for too
    /// long fails on the shedder's scheduler with ``ServiceError/Code/queueTimedOut``. If the queue is full, the
    /// call that would be served last fails with ``ServiceError/Code/shed``: the new one at once, or one that
    /// waits, on the new call's thread. Cancelling a call frees its place, or its entry in the queue. Errors of
    /// the service pass unchanged.
    ///
    /// - Parameter shedder: The places, shared by all stacks that use the same resource.
    public static func loadShedding(sharing shedder: LoadShedder) -> Middleware {
        Middleware(named: LoadShedder.policy) { service in
            AdmittedService(service: service, gate: shedder) { _, service, input in
                service(input).atEnd { shedder.leave() }
            }.call
        }
    }
}
