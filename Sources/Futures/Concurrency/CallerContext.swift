/// The context in which a transform was registered, and in which it runs: a value that some module above
/// binds, and of which this one knows nothing.
///
/// Transforms that return a future start work, so they run in the context of the code that they stand in,
/// not in that of whoever settles the future before; on a thread that runs what was put off, that may be
/// any. Where none is bound this costs two readings of a task-local value.
@usableFromInline
package struct CallerContext: Sendable {
    /// What is bound.
    @TaskLocal package static var bound: (any AnyObject & Sendable)?

    private let captured: (any AnyObject & Sendable)?

    /// Captures what is bound here and now.
    @usableFromInline
    package init() { captured = Self.bound }

    /// Runs a closure with what was captured bound.
    @inlinable
    func run<Output>(_ body: () throws -> Output) rethrows -> Output {
        if isBound { return try body() }
        return try bind(body)
    }

    @usableFromInline
    var isBound: Bool { captured === Self.bound }

    @usableFromInline
    func bind<Output>(_ body: () throws -> Output) rethrows -> Output {
        try Self.$bound.withValue(captured, operation: body)
    }
}
