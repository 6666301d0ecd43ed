#if AsyncHTTPClient
import AsyncHTTPClient
import PledgeHTTPNetworking
import NIOHTTP1

extension RequestAttempt {
    /// A response made from its head.
    func response(_ head: NIOHTTP1.HTTPResponseHead) -> HTTPResponse {
        HTTPResponse(
            status: Int(head.status.code),
            headers: HTTPHeaders(head.headers.lazy.map { ($0.name, $0.value) }))
    }

    /// The error that the caller gets if AsyncHTTPClient has released an exchange without reporting its end.
    ///
    /// That happens if it was shut down, and if the whole response cut off an upload.
    func failureOfADropped(afterHead: Bool) -> HTTPError {
        exchange.failure(afterHead ? .connectionLost : .transportClosed)
    }
}
#endif
