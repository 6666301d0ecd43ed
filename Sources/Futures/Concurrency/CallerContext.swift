internal import Synchronization

/// The context in which a transform was registered, and in which it runs: a value that a module above binds.
///
/// This module does not know its type.
///
/// Transforms that return a future start work, so they run in the context of the code that registers them.
/// The context of the code that settles the upstream may be any, on a thread that runs deferred deliveries.
/// Until a context is bound for the first time in the process, this costs two loads of a flag; from then on
/// it costs two reads of a task-local value.
@usableFromInline
package struct CallerContext: Sendable {
    /// The value that is bound now.
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

    /// Relaxed: a thread that reads false has bound nothing.
    private static let isInUse = Atomic<Bool>(false)

    private let captured: (any AnyObject & Sendable)?

    /// Captures the bound value.
    @usableFromInline
    package init() { captured = Self.bound }

    /// Whether the captured value is bound now.
    @usableFromInline var isBound: Bool { captured === Self.bound }

    /// Runs a closure with the captured value bound.
    func run<Output>(_ body: () throws -> Output) rethrows -> Output {
        if isBound { return try body() }
        return try rebind(body)
    }

    private func rebind<Output>(_ body: () throws -> Output) rethrows -> Output {
        try Self.bind(captured, body)
    }
}
