import PledgeHTTPMessages
import PledgeHTTPText

extension CacheRules {
    /// Returns the answer made from a stored response; nil if only the origin can answer.
    ///
    /// It sets Age, evaluates the request's conditions (RFC 9111, section 4.3.2), and cuts one range of bytes out of a
    /// stored 200 (RFC 9110, section 14). A stored 206 is already the range.
    func answer(
        _ presented: PresentedRequest, with entry: CachedResponse, at now: ClockReading
    ) -> HTTPResponse? {
        var response = HTTPResponse(
            status: entry.status, headers: entry.headers, body: entry.body, url: entry.url,
            timing: HTTPTiming(untilHeaders: .zero, total: .zero), request: presented.request)
        response.headers.set("\(entry.age(at: now))", for: "Age")
        // The jar stored the cookie when the response arrived. Storing it again could overwrite a newer one.
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

    /// A 304 with the response's headers, without those that describe the content.
    private func notModified(_ response: HTTPResponse) -> HTTPResponse {
        var response = response
        response.status = 304
        response.body = Data()
        for name in ["Content-Length", "Content-Encoding", "Content-Range", "Content-Type"] {
            response.headers.remove(name)
        }
        return response
    }

    /// The 504 for an only-if-cached request that the cache can't answer (RFC 9111, section 5.2.1.7).
    func unavailable(_ presented: PresentedRequest, at now: ClockReading) -> HTTPResponse {
        HTTPResponse(
            status: 504, headers: ["Date": now.date.httpText, "Content-Length": "0"],
            timing: HTTPTiming(untilHeaders: .zero, total: .zero), request: presented.request)
    }
}

enum Preconditions {
    /// Returns whether the client already has the stored response (RFC 9111, section 4.3.2).
    ///
    /// If-None-Match overrides If-Modified-Since, which is compared with Last-Modified, or else with Date.
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
    /// - Returns: Nil if only the origin can answer: the request asks for several ranges, another unit, or a range that
    ///   can't be read or satisfied; If-Range is a date, or doesn't match a stored part; or the response is encoded, or
    ///   neither a 200 nor a 206.
    static func part(of response: HTTPResponse, for request: HTTPHeaders) -> HTTPResponse? {
        guard [200, 206].contains(response.status), response.headers["Content-Encoding"] == nil
        else { return nil }
        if let condition = request["If-Range"] {
            // Only the origin knows whether a date is a strong validator.
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

    /// Returns whether a 206 may be stored (RFC 9111, section 3.3): it has the whole range, not encoded, and a strong
    /// tag.
    static func isWhole(_ part: HTTPResponse, for request: HTTPHeaders) -> Bool {
        guard EntityTag(of: part.headers)?.isWeak == false, part.headers["Content-Encoding"] == nil,
            let told = part.headers["Content-Range"],
            let size = told.split(separator: "/").last.flatMap(number),
            let range = request["Range"].flatMap({ bounds($0, of: size) })
        else { return false }
        return told == place(of: range, in: size) && range.count == part.body.count
    }

    private static func place(of range: Range<Int>, in size: Int) -> String {
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)"
    }

    /// The positions that `bytes=2-5`, `bytes=2-` or `bytes=-3` select.
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

    /// Reads a position; `Int.max`, which is past the end of any body, if it doesn't fit.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return Int(text) ?? .max
    }
}
