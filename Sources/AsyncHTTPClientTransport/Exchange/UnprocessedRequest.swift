#if AsyncHTTPClient
import PledgeServices

/// A request that the server has not processed, or that has not been sent.
struct UnprocessedRequest: Error {
    enum Reason {
        /// The server takes no more requests on the connection.
        case leaving
        /// The server has refused the request.
        case refused
        /// The connection ended before the request was sent.
        case unsent
    }

    /// AsyncHTTPClient's error.
    let cause: any Error
    let reason: Reason
}

extension UnprocessedRequest: CustomStringConvertible {
    var description: String { "\(cause)" }
}

extension UnprocessedRequest: OutcomeAdvising {
    var advisedOutcome: Outcome { .retryable(after: nil) }
    var isCertainlyUnsent: Bool { true }
}
#endif
