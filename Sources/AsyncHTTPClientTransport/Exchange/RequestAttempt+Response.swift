#if AsyncHTTPClient
import AsyncHTTPClient
import HTTPNetworking
import NIOHTTP1

extension RequestAttempt {
    /// A response, as its head has come.
    func response(_ head: NIOHTTP1.HTTPResponseHead) -> HTTPResponse {
        HTTPResponse(
            status: Int(head.status.code),
            headers: HTTPHeaders(head.headers.lazy.map { ($0.name, $0.value) }), url: request.url,
            timing: HTTPTiming(untilHeaders: elapsed), request: request)
    }

    /// How many bytes the body of a response has, nil where nobody said.
    func announcedLength(_ head: NIOHTTP1.HTTPResponseHead) -> Int? {
        let status = head.status.code
        if request.method == .head || status == 204 || status == 304 { return 0 }
        return head.headers.first(name: "Content-Length").flatMap(Int.init)
    }

    /// Whether a response is whole although AsyncHTTPClient may never say so.
    ///
    /// A refusal that comes before all of the request has been sent stops the sending, and
    /// AsyncHTTPClient then waits for the sending to end where the end of the response comes by
    /// itself. Where the response has announced its length, that tells as well.
    func isWholeRefusal(
        status: Int, received: Int, of length: Int?, _ control: RequestLifetime
    ) -> Bool {
        status >= 300 && received == length && control.isUploading
    }

    /// What the caller is told where AsyncHTTPClient has let go of an exchange without a word.
    ///
    /// It does so where it was shut down, and where an upload was cut off by the whole response.
    func failureOfADropped(afterHead: Bool) -> HTTPError {
        failure(afterHead ? .connectionLost : .transportClosed)
    }
}
#endif
