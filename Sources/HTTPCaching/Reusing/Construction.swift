import HTTPNetworking

extension CacheRules {
    /// The answer that a stored response gives to a request, nil where only the origin can answer.
    ///
    /// It has the Age of the moment. Conditions of the request are evaluated (RFC 9111, section
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

    /// The 304 that stands for a response, with what it would have said beside its content.
    private func notModified(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.status = 304
        response.body = Data()
        for name in ["Content-Length", "Content-Encoding", "Content-Range", "Content-Type"] {
            response.headers.remove(name)
        }
        return response
    }

    /// What answers a request that may only be answered from the cache, and cannot be (RFC 9111,
    /// section 5.2.1.7).
    func unavailable(_ presented: PresentedRequest, at now: ClockReading) -> HTTPResponse {
        HTTPResponse(
            status: 504, headers: ["Date": now.date.text, "Content-Length": "0"],
            timing: HTTPTiming(untilHeaders: .zero, total: .zero), request: presented.request)
    }
}
