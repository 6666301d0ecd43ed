import PledgeFutures

/// The context of the current call: what belongs to it besides its input.
///
/// ```swift
/// let transport: Service<Endpoint, Data> = { endpoint in
///     send(endpoint, within: CallContext.current.remaining ?? .seconds(60))
/// }
/// ```
///
/// A task-local value carries it, for any input, with or without a task; a `Task` begun within a
/// call inherits it. So does a transform that returns a future, such as that of `flatMap`: it runs
/// in the context in which it was registered. Other callbacks, of futures and of schedulers, run in
/// the context of the code that calls them, so a middleware that calls from one keeps its context:
///
/// ```swift
/// let context = CallContext.current
/// scheduler.schedule(after: delay) { context.run { next(input) } }
/// ```
///
/// Reading it takes about 15 ns, binding it some 50 to 100. A policy binds it only if it has
/// something new to bind.
public struct CallContext {
    /// The context of the current call; empty outside of a call.
    public static var current: CallContext { CallContext(storage: bound) }

    /// Calls a function in this context.
    ///
    /// - Parameter body: Called once, at once. Within it this is ``current``.
    /// - Returns: What the function returns.
    public func run<Output>(_ body: () throws -> Output) rethrows -> Output {
        if storage === Self.bound { return try body() }
        return try CallerContext.bind(storage, body)
    }

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - deadline: The instant by which the call has to end.
    ///   - attempt: Which attempt it is, counted from one.
    public init(deadline: CallDeadline? = nil, attempt: Int = 1) {
        let isEmpty = deadline == nil && attempt == 1
        storage = isEmpty ? nil : Storage(Parts(deadline: deadline, attempt: attempt))
    }

    /// Makes the context of a call that belongs to a distributed trace, or to none.
    ///
    /// - Parameter traceContext: The trace context, such as the one that a server has read from a request.
    public init(traceContext: TraceContext?) {
        storage = traceContext.map { Storage(Parts(traceContext: $0)) }
    }

    /// The instant by which the call has to end, nil without a deadline.
    public var deadline: CallDeadline? { storage?.parts.deadline }

    /// The time that is left until the deadline, nil if there is none.
    ///
    /// Zero or less: it has passed.
    public var remaining: Duration? { storage?.parts.deadline?.remaining }

    /// How important the call is: ``CallPriority/critical``, if nothing else was bound.
    ///
    /// In a call that several callers share, it is the highest of theirs, and rises when another joins.
    public var priority: CallPriority { boundPriority ?? .critical }

    /// The priority that was bound to the call, or to one that it is part of; nil if none was.
    public var boundPriority: CallPriority? {
        switch storage?.parts.priority {
        case nil: nil
        case .own(let priority): priority
        case .shared(let priority): priority.bound
        }
    }

    /// The priority of the shared call that the call is part of, unless another was bound since.
    var sharedPriority: SharedPriority? {
        if case .shared(let priority)? = storage?.parts.priority { priority } else { nil }
    }

    /// Which attempt of the innermost retry this is, counted from one.
    public var attempt: Int { storage?.parts.attempt ?? 1 }

    /// The call's place in a distributed trace; nil if nothing is traced.
    ///
    /// The span is the innermost one: the caller's, the call's, or that of a request.
    public var traceContext: TraceContext? { storage?.parts.traceContext }

    /// The record of what the innermost attempt sends, for a policy that may repeat it; nil without such a
    /// policy.
    public var record: CallRecord? { storage?.parts.record }

    /// A value that another module binds to the call, such as the context of a tracer; nil without it.
    package var carried: (any Sendable)? { storage?.parts.carried }

    /// The era in which a call must have begun for its answer to be an answer to this one.
    var since: Era { storage?.parts.since ?? .first }

    /// The innermost shared call that the call is part of.
    var sharedCall: SharedCall? { storage?.parts.sharedCall }

    /// Whether a first attempt in this context needs neither a span nor another number.
    var isPlain: Bool {
        guard let storage else { return true }
        return storage.parts.span == nil && storage.parts.attempt == 1
    }

    /// Where a call beneath that is observed notes its span, for a policy outside of it.
    var callBeneath: CallBeneath? { storage?.parts.callBeneath }

    /// The span of an observed call, nil without observers.
    var span: CallSpan? { storage?.parts.span }

    let storage: Storage?

    private init(storage: Storage?) { self.storage = storage }

    /// The priority of a call.
    fileprivate enum Priority {
        case own(CallPriority)
        case shared(SharedPriority)
    }

    /// What a context holds.
    fileprivate struct Parts {
        var deadline: CallDeadline?
        var priority: Priority?
        var attempt = 1
        var span: CallSpan?
        var record: CallRecord?
        var traceContext: TraceContext?
        var carried: (any Sendable)?
        var since = Era.first
        var sharedCall: SharedCall?
        var callBeneath: CallBeneath?
        /// The objects whose own work the call is part of.
        var works: [ObjectIdentifier] = []
    }

    /// One object, so that capturing a context is one retain, and an empty one is nothing.
    final class Storage: Sendable {
        fileprivate let parts: Parts

        fileprivate init(_ parts: Parts) { self.parts = parts }
    }

    /// The bound value.
    ///
    /// The futures pass it on without its type; only this type binds one.
    static var bound: Storage? {
        CallerContext.bound.map { unsafeDowncast($0, to: Storage.self) }
    }
}

extension CallContext {
    /// The same with another deadline.
    public func with(deadline: CallDeadline?) -> CallContext { with { $0.deadline = deadline } }

    /// The same with another priority, or with none of its own.
    public func with(priority: CallPriority?) -> CallContext {
        if sharedPriority == nil, priority == boundPriority { return self }
        if priority != nil { SharedPriority.expectPriorities() }
        return with { $0.priority = priority.map { .own($0) } }
    }

    /// The same with the priority of a shared call, if it has one.
    package func with(sharedPriority: SharedPriority?) -> CallContext {
        guard let sharedPriority else { return self }
        return with { $0.priority = .shared(sharedPriority) }
    }

    /// The same with another number of the attempt.
    public func with(attempt: Int) -> CallContext {
        attempt == self.attempt ? self : with { $0.attempt = attempt }
    }

    /// The same with another record, or with none: for work that is not part of an attempt, such as work that
    /// several calls share.
    public func with(record: CallRecord?) -> CallContext {
        record === self.record ? self : with { $0.record = record }
    }

    /// The same with another place in a distributed trace, or with none.
    public func with(traceContext: TraceContext?) -> CallContext {
        traceContext == self.traceContext ? self : with { $0.traceContext = traceContext }
    }

    /// The same with something that another module binds to the call, in place of what was bound before.
    package func with(carried: any Sendable) -> CallContext { with { $0.carried = carried } }

    /// The same, not to be answered by a call that began before an era.
    func with(since era: Era) -> CallContext { era <= since ? self : with { $0.since = era } }

    /// The same as part of a shared call: what a memo may ask for, and its priority, if there may be others.
    func with(
        since era: Era, sharedCall: SharedCall?, priority: SharedPriority?
    ) -> CallContext {
        if sharedCall == nil, priority == nil { return with(since: era) }
        return with {
            $0.since = max($0.since, era)
            if let sharedCall { $0.sharedCall = sharedCall }
            if let priority { $0.priority = .shared(priority) }
        }
    }

    /// The same as an attempt, within a span if the call is observed.
    func with(attempt: Int, record: CallRecord?, span: CallSpan?) -> CallContext {
        if attempt == self.attempt, record === self.record, span == nil { return self }
        // The path of most attempts: there is nothing to copy.
        if storage == nil, span == nil {
            return CallContext(storage: Storage(Parts(attempt: attempt, record: record)))
        }
        return with {
            $0.attempt = attempt
            $0.record = record
            $0.span = span
        }
    }

    /// The same, where a call beneath that is observed notes its span.
    func with(callBeneath: CallBeneath) -> CallContext {
        callBeneath === self.callBeneath ? self : with { $0.callBeneath = callBeneath }
    }

    /// The same as part of the work of an object, so that the object recognises its own calls.
    package func within(_ object: AnyObject) -> CallContext {
        with { $0.works.append(ObjectIdentifier(object)) }
    }

    /// Whether the call is part of the work of an object.
    package func isWithin(_ object: AnyObject) -> Bool {
        storage?.parts.works.contains(ObjectIdentifier(object)) ?? false
    }

    private func with(_ change: (inout Parts) -> Void) -> CallContext {
        var parts = storage?.parts ?? Parts()
        change(&parts)
        return CallContext(storage: Storage(parts))
    }
}

extension CallContext: Sendable {}
