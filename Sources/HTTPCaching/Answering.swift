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

/// The evaluation of a client's conditions on a stored response (RFC 9111, section 4.3.2).
enum Preconditions {
    /// Whether the client already has the stored response.
    ///
    /// If-None-Match takes precedence over If-Modified-Since. Without Last-Modified, the Date counts.
    static func isNotModified(_ request: HTTPHeaders, _ entry: CachedResponse) -> Bool {
        if let tags = request["If-None-Match"] {
            if tags == "*" { return true }
            guard let tag = EntityTag(of: entry.headers) else { return false }
            return EntityTag.list(tags).contains { $0.matchesWeakly(tag) }
        }
        guard let since = DateField.date(request, "If-Modified-Since") else { return false }
        return DateField.date(entry.headers, "Last-Modified") ?? entry.date <= since
    }
}

/// One range of bytes, cut out of a whole response (RFC 9110, section 14).
enum ByteRange {
    /// The part that a request asks for: a 206, or the whole if If-Range does not match.
    ///
    /// - Returns: Nil if the origin has to answer: for several ranges, another unit, a range that cannot be
    ///   satisfied or parsed, or a response that is encoded or is not a 200.
    static func part(of response: HTTPResponse, for request: HTTPHeaders) -> HTTPResponse? {
        guard response.status == 200, response.headers["Content-Encoding"] == nil else {
            return nil
        }
        if let condition = request["If-Range"] {
            // Only a strong tag is compared here; whether a date is strong depends on the origin.
            guard condition.hasSuffix("\""), let asked = EntityTag(condition) else { return nil }
            guard let tag = EntityTag(of: response.headers), tag.matchesStrongly(asked) else {
                return response
            }
        }
        guard let range = request["Range"].flatMap({ bounds($0, of: response.body.count) }) else {
            return nil
        }
        var part = response
        let start = response.body.startIndex
        part.status = 206
        part.body = Data(
            response.body[(start + range.lowerBound)..<(start + range.upperBound)])
        part.headers.set("\(range.count)", for: "Content-Length")
        let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(response.body.count)"
        part.headers.set(place, for: "Content-Range")
        return part
    }

    /// The bytes that `bytes=2-5`, `bytes=2-` or `bytes=-3` mean.
    private static func bounds(_ text: String, of size: Int) -> Range<Int>? {
        let words = text.split(separator: "=", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let ends = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        let (first, last) = (number(ends[0]), number(ends[1]))
        if ends[0].isEmpty {
            guard let last, last > 0, size > 0 else { return nil }
            return max(0, size - last)..<size
        }
        guard let first, first < size, ends[1].isEmpty || last != nil else { return nil }
        if let last, last < first { return nil }
        return first..<min(last ?? .max, size - 1) + 1
    }

    /// A position; one that no `Int` holds lies behind every body in memory.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text) ?? .max
    }
}
