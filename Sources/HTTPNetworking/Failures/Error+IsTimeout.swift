import PledgeFutures
import PledgeServices

extension Error {
    /// Whether this says that the time was over: of an attempt, of the whole call, of a future, or by a limit of the
    /// transport.
    ///
    /// ```swift
    /// if error.isTimeout { show("The server is slow. Try again.") }
    /// ```
    ///
    /// True for a `ServiceError` with the code `timedOut` or `deadlineExceeded`, for an ``HTTPError`` with the code
    /// ``HTTPError/Code/timedOut``, and for a `FutureError` with the code `timedOut`. False for a refusal, such as
    /// that of a bulkhead whose queue is full: the call was not made.
    public var isTimeout: Bool {
        switch self {
        case let error as HTTPError: error.code == .timedOut
        case let error as ServiceError: error.code == .timedOut || error.code == .deadlineExceeded
        case let error as FutureError: error.code == .timedOut
        default: false
        }
    }
}
