import PledgeHTTPMessages
import PledgeHTTPText

extension CacheRules {
    /// Returns a request's answer, made from a stored response; nil if only the origin can answer.
    ///
    /// The answer's Age is the current age. If the request has conditions, this method evaluates them (RFC 9111,
    /// section 4.3.2). If the request asks for one range of bytes, this method cuts the range out of the body of a
    /// stored 200 (RFC 9110, section 14). A stored 206 is that range already.
    func answer(
        _ presented: PresentedRequest, with entry: CachedResponse, at now: ClockReading
    ) -> HTTPResponse? {
        var response = HTTPResponse(
            status: entry.status, headers: entry.headers, body: entry.body, url: entry.url,
            timing: HTTPTiming(untilHeaders: .zero, total: .zero), request: presented.request)
        response.headers.set("\(entry.age(at: now))", for: "Age")
        // The jar stored the cookie when the response arrived. If the jar got the cookie again now, a newer cookie
        // could be overwritten.
        if !replaysCookies { response.headers.remove("Set-Cookie") }
        presented.request.markCookiesKept(of: &response)
        if [200, 206].contains(entry.status), Preconditions.isNotModified(presented.headers, entry)
        {
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

    /// Returns a 304 with the response's headers, without those that describe the content.
    private func notModified(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.status = 304
        response.body = Data()
        for name in ["Content-Length", "Content-Encoding", "Content-Range", "Content-Type"] {
            response.headers.remove(name)
        }
        return response
    }

    /// Returns the 504 for an only-if-cached request that the cache can't answer (RFC 9111, section 5.2.1.7).
    func unavailable(_ presented: PresentedRequest, at now: ClockReading) -> HTTPResponse {
        HTTPResponse(
            status: 504, headers: ["Date": now.date.httpText, "Content-Length": "0"],
            timing: HTTPTiming(untilHeaders: .zero, total: .zero), request: presented.request)
    }
}

/// Checks a client's conditions against a stored response (RFC 9111, section 4.3.2).
enum Preconditions {
    /// Returns whether the client already has the stored response.
    ///
    /// If-None-Match takes precedence over If-Modified-Since. If-Modified-Since is compared with Last-Modified, or with
    /// Date if there is no Last-Modified.
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

/// Cuts one range of bytes out of a whole response (RFC 9110, section 14).
enum ByteRange {
    /// Returns the requested part as a 206, or the whole response if If-Range doesn't match.
    ///
    /// - Returns: Nil if only the origin can answer: the request asks for several ranges, for a unit other than bytes,
    ///   or for a range that can't be parsed or satisfied; the If-Range is a date, or doesn't match a stored part; the
    ///   response is encoded; or the response isn't a 200 or a 206.
    static func part(of response: HTTPResponse, for request: HTTPHeaders) -> HTTPResponse? {
        guard [200, 206].contains(response.status), response.headers["Content-Encoding"] == nil
        else { return nil }
        if let condition = request["If-Range"] {
            // If-Range may be a tag or a date. A date is left to the origin, because only the origin knows whether the
            // date is a strong validator.
            guard condition.hasSuffix("\""), let asked = EntityTag(condition) else { return nil }
            guard let tag = EntityTag(of: response.headers), tag.matchesStrongly(asked) else {
                return response.status == 200 ? response : nil
            }
        }
        if response.status == 206 { return response }
        guard let range = request["Range"].flatMap({ bounds($0, of: response.body.count) }) else {
            return nil
        }
        var part = response
        let start = response.body.startIndex
        part.status = 206
        part.body = Data(
            response.body[(start + range.lowerBound)..<(start + range.upperBound)])
        part.headers.set("\(range.count)", for: "Content-Length")
        part.headers.set(place(of: range, in: response.body.count), for: "Content-Range")
        return part
    }

    /// Returns whether a 206 may be stored (RFC 9111, section 3.3).
    ///
    /// It must hold the whole range that was asked for, not encoded, of a version with a strong tag.
    static func isWhole(_ part: HTTPResponse, for request: HTTPHeaders) -> Bool {
        guard EntityTag(of: part.headers)?.isWeak == false, part.headers["Content-Encoding"] == nil,
            let told = part.headers["Content-Range"],
            let size = told.split(separator: "/").last.flatMap(number),
            let range = request["Range"].flatMap({ bounds($0, of: size) })
        else { return false }
        return told == place(of: range, in: size) && range.count == part.body.count
    }

    /// Returns the Content-Range of a part.
    private static func place(of range: Range<Int>, in size: Int) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
    }

    /// Returns the byte positions that `bytes=2-5`, `bytes=2-` or `bytes=-3` select.
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

    /// Reads a position; if it's too large for `Int`, returns `Int.max`, which is past the end of any body.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text) ?? .max
    }
}
