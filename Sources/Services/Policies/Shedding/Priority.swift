extension Middleware {
    /// Gives calls a priority, unless they have one.
    ///
    /// ```swift
    /// let prefetch = stack(.priority(.sheddable), .loadShedding(sharing: shedder), over: transport)
    /// ```
    ///
    /// The priority is in the ``CallContext`` of each call beneath, and of the calls that these make. A call whose
    /// ``CallContext/boundPriority`` is set, by a server or by a call that it is part of, keeps it: so all calls
    /// for one request of a user are as important as that request. To change a call's own:
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
