/// An error: a request of a ``RequestSequence`` was not sent, because one before it failed or all were
/// cancelled.
public struct RequestNotSent: Error {
    /// The place of the request in the sequence, counted from 1.
    public let number: Int

    /// The error of the request that failed first, or a `CancellationError`.
    public let cause: any Error

    /// Makes an error.
    public init(number: Int, cause: any Error) {
        self.number = number
        self.cause = cause
    }
}

extension RequestNotSent: CustomStringConvertible {
    /// Which request was not sent, and why.
    public var description: String {
        let reason =
            cause is CancellationError
            ? "the sequence was cancelled" : "one before it failed: \(cause)"
        return "request \(number) was not sent, because \(reason)"
    }
}
