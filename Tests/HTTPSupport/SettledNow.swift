package import PledgeFutures
package import PledgeHTTPMessages
import TestSupport
import Testing

extension Future {
    /// The value, if there is one now.
    package var valueNow: Value? { try? result?.get() }

    /// The error, if there is one now.
    package var errorNow: (any Error)? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// The HTTPError with which the future rejects.
    package var httpError: HTTPError {
        get async throws {
            switch await resultSoon {
            case .success(let value):
                Issue.record("it resolved with \(value)")
                throw CancellationError()
            case .failure(let error):
                return try #require(error as? HTTPError, "it rejected with \(error)")
            }
        }
    }
}
