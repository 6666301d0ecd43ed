import Futures
import HTTPNetworking
import Testing

extension Future {
    /// The value, or an error where ten minutes were not enough: no test waits forever, and one among thousands may wait long.
    var soon: Value {
        get async throws { try await timeout(.seconds(600)).value }
    }

    /// The HTTPError that it rejects with.
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
