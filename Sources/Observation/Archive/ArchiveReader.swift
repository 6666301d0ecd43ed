import PledgeHTTPMessages
import PledgeHTTPText

/// A value in a HAR file, and its place for an error.
struct ArchiveReader {
    let value: JSONValue
    let place: String

    init(_ value: JSONValue, at place: String = "") {
        self.value = value
        self.place = place
    }

    func failure(_ reason: String) -> HTTPArchive.ReadError {
        HTTPArchive.ReadError(place: place, reason: reason)
    }

    /// A member; null if it's missing.
    subscript(name: String) -> ArchiveReader {
        let at = place.isEmpty ? name : "\(place).\(name)"
        guard case .object(let members) = value else { return ArchiveReader(.null, at: at) }
        return ArchiveReader(members[name] ?? .null, at: at)
    }

    var text: String? {
        if case .string(let text) = value { return text }
        return nil
    }

    /// A finite number; nil for anything else.
    var number: Double? {
        switch value {
        case .integer(let number): Double(number)
        case .number(let number) where number.isFinite: number
        default: nil
        }
    }

    /// A time in milliseconds, with the microseconds that a file keeps; nil if it's unknown, which is -1.
    var time: Duration? {
        guard let number, number >= 0 else { return nil }
        return .microseconds(Int64((min(number, 1e12) * 1000).rounded()))
    }

    /// The elements of a list; none if it's missing.
    func list() throws(HTTPArchive.ReadError) -> [ArchiveReader] {
        switch value {
        case .null: return []
        case .array(let values):
            return values.enumerated().map { ArchiveReader($1, at: "\(place)[\($0)]") }
        default: throw failure("it isn't a list")
        }
    }

    func object() throws(HTTPArchive.ReadError) -> ArchiveReader {
        guard case .object = value else { throw failure("it isn't an object") }
        return self
    }
}

extension HTTPArchive {
    init(_ root: ArchiveReader) throws(ReadError) {
        let list = try root.object()["log"].object()["entries"]
        guard case .array = list.value else { throw list.failure("it isn't a list") }
        entries = []
        for entry in try list.list() { entries.append(try Entry(entry.object())) }
    }
}

extension HTTPArchive.Entry {
    fileprivate init(_ entry: ArchiveReader) throws(HTTPArchive.ReadError) {
        let asked = try entry["request"].object()
        let answer = entry["response"]
        self.init(try HTTPRequest(asked), nil)
        startedAt = entry["startedDateTime"].text.flatMap(ArchiveDate.init)?.date ?? startedAt
        comment = entry["comment"].text
        let post = asked["postData"]
        missingRequestBody = post["_missing"].text
        failure = answer["_error"].text ?? entry["_error"].text
        let timing = HTTPTiming(entry["timings"], version: answer["httpVersion"].text)
        duration = entry["time"].time ?? timing.total ?? .zero
        let status = answer["status"].number ?? 0
        guard (100...999).contains(status) else {
            failure = failure ?? (status == 0 ? "" : "the status \(status)")
            return
        }
        var response = HTTPResponse(
            status: Int(status), headers: try HTTPHeaders(answer["headers"]))
        response.timing = timing
        response.timing.total = response.timing.total ?? duration
        response.url = request.url
        let content = answer["content"]
        if let body = try content.body(encoding: content["encoding"].text) {
            response.body = body
        } else if let size = content["size"].number, size > 0, request.method != .head,
            ![204, 304].contains(response.status)
        {
            missingResponseBody = content["comment"].text ?? "the file has no text for it"
        }
        self.response = response
    }
}

extension ArchiveReader {
    /// The bytes of the member `text`; nil if it's missing.
    fileprivate func body(encoding: String?) throws(HTTPArchive.ReadError) -> Data? {
        guard let text = self["text"].text else { return nil }
        guard encoding == "base64" else { return Data(text.utf8) }
        guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
            throw self["text"].failure("it isn't Base64")
        }
        return data
    }
}

extension HTTPRequest {
    fileprivate init(_ asked: ArchiveReader) throws(HTTPArchive.ReadError) {
        guard let method = asked["method"].text, HTTPHeaders.isToken(method) else {
            throw asked["method"].failure("it isn't a method")
        }
        guard let text = asked["url"].text, let url = URL(string: text) else {
            throw asked["url"].failure("it isn't a URL")
        }
        self.init(HTTPMethod(rawValue: method), url, headers: try HTTPHeaders(asked["headers"]))
        let post = asked["postData"]
        let type = post["mimeType"].text.flatMap { $0.isEmpty ? nil : $0 }
        if let data = try post.body(encoding: post["_encoding"].text), !data.isEmpty {
            body = Body(.data(data), contentType: type)
        } else {
            let items = try post["params"].list().map { item in
                URLQueryItem(name: item["name"].text ?? "", value: item["value"].text ?? "")
            }
            // A multipart body can't be made again from its fields.
            guard !items.isEmpty, BodyText.mediaType(type).hasSuffix("form-urlencoded") else {
                return
            }
            body = .form(Endpoint.Query(items))
        }
    }
}

extension HTTPHeaders {
    fileprivate init(_ fields: ArchiveReader) throws(HTTPArchive.ReadError) {
        self.init()
        for field in try fields.list() {
            guard let name = field["name"].text, let value = field["value"].text else {
                throw field.failure("it isn't a header")
            }
            // Browsers write the pseudo-headers of HTTP/2, and several cookies as lines of one field.
            for line in value.split(separator: "\n")
            where Self.isValid(name: name, value: String(line)) {
                add(String(line), for: name)
            }
            if value.isEmpty, Self.isToken(name) { add("", for: name) }
        }
    }
}

extension HTTPTiming {
    fileprivate init(_ timings: ArchiveReader, version: String?) {
        self.init()
        var metrics = ConnectionMetrics()
        metrics.protocolVersion = version.flatMap { ["", "unknown"].contains($0) ? nil : $0 }
        var passed = timings["blocked"].time ?? .zero
        if let dns = timings["dns"].time {
            passed += dns
            metrics.untilNameLookup = passed
        }
        if let connect = timings["connect"].time {
            let secure = timings["ssl"].time
            metrics.untilConnected = passed + connect - min(connect, secure ?? .zero)
            passed += connect
            if secure != nil { metrics.untilSecure = passed }
        }
        if metrics != ConnectionMetrics() { connection = metrics }
        guard let wait = timings["wait"].time else { return }
        untilHeaders = passed + (timings["send"].time ?? .zero) + wait
        total = untilHeaders.map { $0 + (timings["receive"].time ?? .zero) }
    }
}

/// A date in ISO 8601 with milliseconds.
struct ArchiveDate {
    /// A date with whole milliseconds, between the years 1 and 9999.
    let date: Date

    private let milliseconds: Int64

    init(_ date: Date) {
        let seconds = min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799)
        milliseconds = Int64((seconds * 1000).rounded())
        self.date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Parses a date; nil if it's none.
    init?(_ text: String) {
        for fraction in [true, false] {
            let style = Date.ISO8601FormatStyle(includingFractionalSeconds: fraction)
            if let date = try? style.parse(text) {
                self.init(date)
                return
            }
        }
        return nil
    }

    /// The date like "2026-11-27T14:05:00.123Z".
    var text: String {
        let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000)
        let whole = rest < 0 ? seconds - 1 : seconds
        let fraction = "00\(rest < 0 ? rest + 1000 : rest)".suffix(3)
        let text = Date.ISO8601FormatStyle()
            .format(Date(timeIntervalSince1970: Double(whole)))
        return "\(text.dropLast()).\(fraction)Z"
    }
}
