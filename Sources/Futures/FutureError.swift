/// The error of a future of Pledge, if the failure is not a user's own error.
///
/// Errors thrown by transforms and given to `reject(with:)` arrive unchanged. Cancellation is
/// Swift's own `CancellationError`.
public struct FutureError: Error, Sendable {
    /// What went wrong.
    public let code: Code

    /// Where: the promise that was abandoned, or the call of the combinator that failed.
    public let location: CodeLocation?

    /// For ``Code/cycle``, where the future that leads back was made; nil if that is ``location``.
    public internal(set) var secondLocation: CodeLocation?

    /// The errors behind this one: for ``Code/allFailed`` those of all inputs, in their order.
    ///
    /// Errors of this kind nest 32 deep at most: beyond that, the causes of a cause take its place.
    public let causes: [any Error]

    /// How many errors of this kind are nested in it, itself included.
    private let depth: Int

    /// The kinds of failure.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A promise or a resolver was released before it had settled, so it could not be settled
        /// any more. Keep it until the work is done, and resolve or reject it on every path.
        case abandoned
        /// The time given to ``Future/timeout(_:on:fileID:line:)`` had passed.
        case timedOut
        /// The predicate of ``Future/filter(_:fileID:line:)`` was false.
        case notEnsured
        /// All inputs of ``Future/any(_:fileID:line:)`` failed.
        case allFailed
        /// ``Future/any(_:fileID:line:)`` or ``Future/race(_:others:fileID:line:)`` got no input.
        case noInputs
        /// A closure given to `flatMap` or `flatMapError` returned the very future it was to settle, or
        /// one that derives from it by up to 64 steps.
        case cycle
    }

    /// Makes an error.
    public init(_ code: Code, at location: CodeLocation? = nil, causes: [any Error] = []) {
        self.code = code
        self.location = location
        let depth = causes.reduce(1) { max($0, 1 + (($1 as? FutureError)?.depth ?? 0)) }
        if depth <= Self.deepest {
            self.causes = causes
            self.depth = depth
        } else {
            self.causes = causes.flatMap { cause -> [any Error] in
                guard let error = cause as? FutureError, !error.causes.isEmpty else {
                    return [cause]
                }
                return error.causes
            }
            self.depth = depth - 1
        }
    }

    /// An error frees what is nested in it by recursion.
    private static let deepest = 32
}

extension FutureError: CustomStringConvertible {
    /// What went wrong, where, and what to do about it.
    public var description: String {
        let place = location.map { " at \($0)" } ?? ""
        switch code {
        case .abandoned:
            return """
                abandoned: the promise made\(place) was released before it was resolved or \
                rejected; keep it until its work is done
                """
        case .timedOut: return "timed out: no result within the time given\(place)"
        case .notEnsured: return "not ensured: the predicate\(place) was false for the value"
        case .allFailed:
            let list = causes.map { "\($0)" }.joined(separator: "; ")
            return
                "all failed: none of the \(causes.count) futures given\(place) succeeded: \(list)"
        case .noInputs:
            return "no inputs: the array of futures given\(place) was empty, so none can come first"
        case .cycle:
            let second = secondLocation.map { ", by the step at \($0)" } ?? ""
            return """
                cycle: the closure given\(place) returned a future that waits for the closure's own \
                result\(second), so neither would settle
                """
        }
    }
}
