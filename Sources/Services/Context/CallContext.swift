import Futures

/// What is known about the call that is being made, beside its input.
///
/// ```swift
/// let transport: Service<Endpoint, Data> = { endpoint in
///     send(endpoint, within: CallContext.current.remaining ?? .seconds(60))
/// }
/// ```
///
/// A task-local value carries it, for any input, with or without a task; a `Task` begun within a call
/// inherits it. So does a transform that returns a future, such as that of `flatMap`: it runs in the context
/// in which it was registered. Other callbacks, of futures and of schedulers, run in that of whoever calls
/// them, so a middleware that calls from one keeps its context:
///
/// ```swift
/// let context = CallContext.current
/// scheduler.schedule(after: delay) { context.run { next(input) } }
/// ```
///
/// Reading it takes about 15 ns, binding it some 50 to 100. A policy binds it only where there is
/// something to say that is not bound already.
public struct CallContext {
    /// The context of the call that is being made here and now; empty outside of any.
    public static var current: CallContext { CallContext(storage: bound) }

    /// Calls a function in this context.
    ///
    /// - Parameter body: Called once, at once. Within it this is ``current``.
    /// - Returns: What the function returns.
    public func run<Output>(_ body: () throws -> Output) rethrows -> Output {
        if storage === Self.bound { return try body() }
        return try CallerContext.bind(storage, body)
    }

    /// Calls a service in this context.
    ///
    /// The same as with a closure; but in generic code that one would look up the type of its result
    /// at run time, for each call.
    func call<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        if storage === Self.bound { return service(input) }
        var future: Future<Output>?
        CallerContext.bind(storage) { future = service(input) }
        guard let future else { preconditionFailure("a bound closure has run") }
        return future
    }

    /// Makes a context.
    ///
    /// - Parameters:
    ///   - deadline: The instant by which the call has to end.
    ///   - attempt: Which attempt it is, counted from one.
    public init(deadline: CallDeadline? = nil, attempt: Int = 1) {
        let isEmpty = deadline == nil && attempt == 1
        storage =
            isEmpty ? nil : Storage(deadline: deadline, attempt: attempt, span: nil, works: [])
    }

    /// The instant by which the call has to end, nil if nobody has set one.
    public var deadline: CallDeadline? { storage?.deadline }

    /// The time that is left until the deadline, nil if there is none.
    ///
    /// Zero or less: it has passed.
    public var remaining: Duration? { storage?.deadline?.remaining }

    /// Which attempt of the innermost retry this is, counted from one.
    public var attempt: Int { storage?.attempt ?? 1 }

    /// Whether a first attempt in this context needs neither a span nor another number.
    var isPlain: Bool {
        guard let storage else { return true }
        return storage.span == nil && storage.attempt == 1
    }

    /// The span of an observed call, nil if nobody observes.
    var span: CallSpan? { storage?.span }

    private let storage: Storage?

    private init(storage: Storage?) { self.storage = storage }

    /// One object, so that capturing a context is one retain, and an empty one is nothing.
    private final class Storage: Sendable {
        let deadline: CallDeadline?
        let attempt: Int
        let span: CallSpan?
        /// Whose own work the call is part of.
        let works: [ObjectIdentifier]

        init(
            deadline: CallDeadline?, attempt: Int, span: CallSpan?, works: [ObjectIdentifier]
        ) {
            self.deadline = deadline
            self.attempt = attempt
            self.span = span
            self.works = works
        }
    }

    /// What is bound: a value that the futures carry along and do not know; nobody else binds any.
    private static var bound: Storage? {
        CallerContext.bound.map { unsafeDowncast($0, to: Storage.self) }
    }
}

extension CallContext {
    /// The same with another deadline.
    public func with(deadline: CallDeadline?) -> CallContext {
        CallContext(
            storage: Storage(deadline: deadline, attempt: attempt, span: span, works: works))
    }

    /// The same with another number of the attempt.
    public func with(attempt: Int) -> CallContext {
        if attempt == self.attempt { return self }
        return CallContext(
            storage: Storage(deadline: deadline, attempt: attempt, span: span, works: works))
    }

    /// The same within a span.
    func with(span: CallSpan, attempt: Int) -> CallContext {
        CallContext(
            storage: Storage(deadline: deadline, attempt: attempt, span: span, works: works))
    }

    /// The same as part of the work of an object, which is to know its own calls when it meets them.
    package func within(_ object: AnyObject) -> CallContext {
        CallContext(
            storage: Storage(
                deadline: deadline, attempt: attempt, span: span,
                works: works + [ObjectIdentifier(object)]))
    }

    /// Whether the call is part of the work of an object.
    package func isWithin(_ object: AnyObject) -> Bool {
        works.contains(ObjectIdentifier(object))
    }

    private var works: [ObjectIdentifier] { storage?.works ?? [] }
}

extension CallContext: Sendable {}
