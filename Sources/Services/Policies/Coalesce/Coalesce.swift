extension Middleware where Input: Hashable {
    /// Lets calls with equal inputs share one call of the service while it is under way.
    ///
    /// It is ``coalesce(by:sharing:)-((Input)->Key,_)`` with the input itself as key.
    ///
    /// - Parameter group: The group of calls that share; nil for the calls of this stack.
    public static func coalesce(sharing group: Coalescer<Input, Output>? = nil) -> Middleware {
        .coalesce(by: { $0 }, sharing: group)
    }
}

extension Middleware {
    /// Lets calls with equal keys share one call of the service while it is under way.
    ///
    /// ```swift
    /// let load = stack(.deadline(.seconds(10)), .coalesce(by: \.id), .retry(), over: loadProduct)
    /// ```
    ///
    /// The first caller calls the service; callers that come before that call has ended wait for its result.
    /// Nothing is kept afterwards: the next caller makes a new call. Callers are counted: if one cancels, or
    /// its deadline outside passes, the others still get the answer; the last to give up cancels the call. A
    /// later caller makes a new call, and the answer of the cancelled call is discarded. (Go's singleflight
    /// shares calls likewise.)
    ///
    /// **Context.** The shared call is made in the context of its first caller, even if that caller gives up:
    /// it has that caller's deadline, attempt and observers. The observers of the others are notified that
    /// they joined. No caller fails because of another's deadline: if the call fails after the first caller's
    /// deadline, only the callers whose own deadline has passed get the failure. The other callers share
    /// another call, made at once in the context of the caller with the most time left, if their inputs are
    /// ``Replayable``.
    ///
    /// **Priority.** The shared call has the highest ``CallContext/priority`` of all who have joined it, and a call
    /// that waits in a ``LoadShedder`` moves up when a more important caller joins. Leaving does not lower it. A task
    /// that awaits a caller's future raises the tasks that work for the shared call.
    ///
    /// **Cookies.** A Set-Cookie of an HTTP response is for the caller whose call it was: the others get the
    /// response, or the error that keeps it, without it. Nobody joins a call whose user has signed out.
    ///
    /// **Changes.** After ``Memo/invalidate(_:)`` of a memo above or beneath, or
    /// ``Coalescer/invalidate(_:)``, a caller makes a new call, though one is under way.
    ///
    /// The answers arrive in the order in which the callers came, on the thread that settles the
    /// shared call. Each call takes a lock for constant time, in which keys are hashed and compared.
    /// A service that calls its own stack with the same key, and waits for that call, waits forever.
    ///
    /// - Parameters:
    ///   - key: Returns the key of an input, which must include everything that an answer depends on, such as
    ///     the user. Called once a call, on the caller's thread. A key that is not equal to itself, such as a
    ///     NaN, counts as no key: the service is called.
    ///   - group: The group of calls that share; nil for the calls of this stack. In stacks with one group,
    ///     equal keys must have the same meaning.
    public static func coalesce<Key: Hashable & Sendable>(
        by key: @escaping @Sendable (Input) -> Key, sharing group: Coalescer<Key, Output>? = nil
    ) -> Middleware {
        Middleware(named: "coalesce") { service in
            let group = group ?? Coalescer()
            return { input in group.call(key(input), service, input) }
        }
    }

    /// Lets calls share one call of the service while it is under way, by a key that has a name.
    ///
    /// Otherwise as ``coalesce(by:sharing:)-((Input)->Key,_)``.
    ///
    /// - Parameters:
    ///   - key: The key of inputs. An input without a key shares nothing: the service is called. Once an
    ///     unsafe HTTP request has ended, no later request for its URL shares a call that began before
    ///     (RFC 9111, section 4.4).
    ///   - group: The group of calls that share; nil for the calls of this stack. In stacks with one group,
    ///     equal keys must have the same meaning.
    public static func coalesce<Key: Hashable & Sendable>(
        by key: CoalescingKey<Input, Output, Key>, sharing group: Coalescer<Key, Output>? = nil
    ) -> Middleware {
        Middleware(named: "coalesce") { service in
            let group = group ?? Coalescer()
            return { input in
                if let own = key(input) {
                    return group.call(own, about: key.subject, service, input)
                }
                guard let subject = key.subject, key.changes(input) else { return service(input) }
                return group.change(subject, service, input)
            }
        }
    }
}
