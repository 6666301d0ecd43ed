extension Middleware {
    /// Gives a priority to calls that have none.
    ///
    /// ```swift
    /// let prefetch = stack(.priority(.sheddable), .bulkhead(sharing: bulkhead), over: transport)
    /// ```
    ///
    /// Calls below find the priority in their ``CallContext``, and so do the calls that they make. If a server or an
    /// enclosing call has already set `CallContext.boundPriority`, the call keeps that priority. So all calls for one
    /// user's request are as important as that request. To change the priority of one call:
    ///
    /// ```swift
    /// CallContext.current.with(priority: .sheddable).run { load(7) }
    /// ```
    ///
    /// - Parameter priority: The priority.
    public static func priority(_ priority: CallPriority) -> Middleware {
        Middleware(named: "priority") { service in
            { input in
                let context = CallContext.current
                if context.boundPriority != nil { return service(input) }
                return context.with(priority: priority).call(service, input)
            }
        }
    }
}
