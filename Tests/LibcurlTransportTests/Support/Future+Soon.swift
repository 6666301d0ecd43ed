import Futures
import HTTPNetworking
import Testing

extension Future {
    /// The value, or an error after ten minutes: no test waits forever, and one among thousands may have to
    /// wait long.
    var soon: Value {
        get async throws { try await timeout(.seconds(600)).value }
    }

    /// The HTTPError with which the future rejects.
    var httpError: HTTPError {
        get async throws {
            switch await timeout(.seconds(600)).resultWhenSettled {
            case .success(let value):
                Issue.record("it resolved with \(value)")
                throw CancellationError()
            case .failure(let error):
                return try #require(error as? HTTPError, "it rejected with \(error)")
            }
        }
    }
}
