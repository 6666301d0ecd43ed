#if AsyncHTTPClient
import AsyncHTTPClient
import HTTPNetworking
import NIOHTTP1

extension RequestAttempt {
    /// A response made from its head.
    func response(_ head: NIOHTTP1.HTTPResponseHead) -> HTTPResponse {
        HTTPResponse(
            status: Int(head.status.code),
            headers: HTTPHeaders(head.headers.lazy.map { ($0.name, $0.value) }), url: request.url,
            timing: HTTPTiming(untilHeaders: elapsed), request: request)
    }

    /// The length of a response's body in bytes; nil if it was not announced.
    func announcedLength(_ head: NIOHTTP1.HTTPResponseHead) -> Int64? {
        let status = head.status.code
        if request.method == .head || status == 204 || status == 304 { return 0 }
        return head.headers.first(name: "Content-Length").flatMap { Int64($0) }
    }

    /// Whether a response is complete although AsyncHTTPClient may never report its end.
    ///
    /// A refusal that arrives before all of the request has been sent stops the sending. If the end of the
    /// response arrives separately, AsyncHTTPClient then waits for the sending to end. If the response has
    /// announced its length, the length shows that it is complete.
    func isWholeRefusal(
        status: Int, received: Int64, of length: Int64?, _ control: RequestLifetime
    ) -> Bool {
        status >= 300 && received == length && control.isUploading
    }

    /// The error that the caller gets if AsyncHTTPClient has released an exchange without reporting its end.
    ///
    /// That happens if it was shut down, and if the whole response cut off an upload.
    func failureOfADropped(afterHead: Bool) -> HTTPError {
        failure(afterHead ? .connectionLost : .transportClosed)
    }
}
#endif
