import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// What a data task told its completion handler, and what that means.
struct URLExchange {
    let endpoint: Endpoint
    let body: Data?
    let answer: URLResponse?
    let error: (any Error)?
    /// How long the session lets nothing come or go.
    let idleLimit: Duration

    /// The response where one came.
    ///
    /// - Throws: `HTTPError`, or `CancellationError` where the task was cancelled.
    func response() throws -> HTTPResponse {
        if let error {
            if (error as? URLError)?.code == .cancelled { throw CancellationError() }
            throw HTTPError(
                code: .init(error), endpoint: endpoint, cause: error,
                reason: HTTPError.reason(of: error, idleLimit: idleLimit))
        }
        guard let answer = answer as? HTTPURLResponse else {
            throw HTTPError(code: .badResponse, endpoint: endpoint)
        }
        return HTTPResponse(answer, body: body ?? Data())
    }
}
