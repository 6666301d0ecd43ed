import PledgeHTTPNetworking

extension CacheRules {
    /// The answer to a request from a stored response; nil if only the origin can answer.
    ///
    /// It has the current Age. Conditions of the request are evaluated (RFC 9111, section
    /// 4.3.2), and one range of bytes is cut out of a whole 200 (RFC 9110, section 14).
    func answer(
        _ presented: PresentedRequest, with entry: CachedResponse, at now: ClockReading
    ) -> HTTPResponse? {
        var response = HTTPResponse(
            status: entry.status, headers: entry.headers, body: entry.body, url: entry.url,
            timing: HTTPTiming(untilHeaders: .zero, total: .zero), request: presented.request)
        response.headers.set("\(entry.age(at: now))", for: "Age")
        // The jar got it when it arrived; later it would replace newer cookies.
        if !replaysCookies { response.headers.remove("Set-Cookie") }
        if entry.status == 200, Preconditions.isNotModified(presented.headers, entry) {
            return notModified(response)
        }
        if presented.method == .head {
            if presented.headers["Range"] != nil { return nil }
            response.body = Data()
        } else if presented.headers["Range"] != nil {
            return ByteRange.part(of: response, for: presented.headers)
        }
        return response
    }

    /// The 304 for a response, with the headers of the response except those of its content.
    private func notModified(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.status = 304
        response.body = Data()
        for name in ["Content-Length", "Content-Encoding", "Content-Range", "Content-Type"] {
            response.headers.remove(name)
        }
        return response
    }

    /// The answer to a request with only-if-cached that the cache cannot answer (RFC 9111, section 5.2.1.7).
    func unavailable(_ presented: PresentedRequest, at now: ClockReading) -> HTTPResponse {
        HTTPResponse(
            status: 504, headers: ["Date": now.date.text, "Content-Length": "0"],
            timing: HTTPTiming(untilHeaders: .zero, total: .zero), request: presented.request)
    }
}
