import Futures
import HTTPNetworking
import Testing

extension Future {
    /// The value, or an error after half a minute: no test waits for ever.
    var soon: Value {
        get async throws { try await timeout(.seconds(30)).value }
    }

    /// The HTTPError with which the future rejects.
    var httpError: HTTPError {
        get async throws {
            switch await timeout(.seconds(30)).resultWhenSettled {
            case .success(let value):
                Issue.record("it resolved with \(value)")
                throw CancellationError()
            case .failure(let error):
                return try #require(error as? HTTPError, "it rejected with \(error)")
            }
        }
    }
}
