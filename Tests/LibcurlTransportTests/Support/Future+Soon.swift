import Futures
import HTTPNetworking
import Testing

extension Future {
    /// The value, or an error where two minutes were not enough: no test waits for ever.
    var soon: Value {
        get async throws { try await timeout(.seconds(120)).value }
    }

    /// The HTTPError that it rejects with.
    var httpError: HTTPError {
        get async throws {
            switch await timeout(.seconds(120)).resultWhenSettled {
            case .success(let value):
                Issue.record("it resolved with \(value)")
                throw CancellationError()
            case .failure(let error):
                return try #require(error as? HTTPError, "it rejected with \(error)")
            }
        }
    }
}
