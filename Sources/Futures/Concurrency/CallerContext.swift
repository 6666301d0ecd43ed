internal import Synchronization

/// The context in which a transform was registered, and in which it runs: a value that some module above
/// binds, and of which this one knows nothing.
///
/// Transforms that return a future start work, so they run in the context of the code that
/// registers them, not in that of the code that settles the future before, which on a thread that
/// runs what was put off may be any. Until a context is bound for the first time in the process
/// this costs two loads of a flag, from then on two readings of a task-local value.
@usableFromInline
package struct CallerContext: Sendable {
    /// What is bound here and now.
    package static var bound: (any AnyObject & Sendable)? {
        isInUse.load(ordering: .relaxed) ? value : nil
    }

    /// Calls a closure with a value bound.
    package static func bind<Output>(
        _ value: (any AnyObject & Sendable)?, _ body: () throws -> Output
    ) rethrows -> Output {
        if !isInUse.load(ordering: .relaxed) { isInUse.store(true, ordering: .relaxed) }
        return try $value.withValue(value, operation: body)
    }

    @TaskLocal private static var value: (any AnyObject & Sendable)?

    /// Relaxed: a thread that does not find it set has bound nothing.
    private static let isInUse = Atomic<Bool>(false)

    private let captured: (any AnyObject & Sendable)?

    /// Captures what is bound.
    @usableFromInline
    package init() { captured = Self.bound }

    /// Whether what was captured is bound here and now.
    @usableFromInline var isBound: Bool { captured === Self.bound }

    /// Runs a closure with what was captured bound.
    @inlinable
    func run<Output>(_ body: () throws -> Output) rethrows -> Output {
        if isBound { return try body() }
        return try rebind(body)
    }

    @usableFromInline
    func rebind<Output>(_ body: () throws -> Output) rethrows -> Output {
        try Self.bind(captured, body)
    }
}
