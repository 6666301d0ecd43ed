/// The error of a failed future, shared by all that derive from it.
@usableFromInline
final class Failure: Sendable {
    @usableFromInline let error: any Error

    /// Where the transform that threw the error was written; nil if no transform did.
    let origin: CodeLocation?

    /// What a cancelled future fails with.
    ///
    /// One instance for all, so it also identifies them.
    static let cancelled = Failure(CancellationError())

    init(_ error: any Error, thrownAt origin: CodeLocation? = nil) {
        self.error = error
        self.origin = origin
    }
}
