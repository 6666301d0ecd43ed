import PledgeHTTPMessages
import PledgeHTTPText

/// Writes an archive as JSON, with the members in the order of the format's description.
struct ArchiveText {
    private var bytes: [UInt8] = []
    private var depth = 0
    /// True if the next member or element needs a comma before it.
    private var needsComma = false

    static func bytes(of archive: HTTPArchive) -> [UInt8] {
        var text = ArchiveText()
        text.container("{", "}") { text in
            text.object("log") { text in
                text.add("version", "1.2")
                text.object("creator") { text in
                    text.add("name", "Pledge")
                    text.add("version", "1")
                }
                text.list("entries") { text in
                    for entry in archive.entries { text.element { $0.add(entry) } }
                }
            }
        }
        text.bytes.append(10)
        return text.bytes
    }

    private mutating func add(_ entry: HTTPArchive.Entry) {
        add("startedDateTime", ArchiveDate(entry.startedAt).text)
        add("time", ArchiveTimes.milliseconds(entry.duration))
        object("request") { $0.addRequest(of: entry) }
        object("response") { $0.addResponse(of: entry) }
        object("cache") { _ in }
        object("timings") { text in
            for (name, time) in ArchiveTimes.of(entry) { text.add(name, time) }
        }
        if let comment = entry.comment { add("comment", comment) }
    }

    private mutating func addRequest(of entry: HTTPArchive.Entry) {
        let request = entry.request
        add("method", request.method.rawValue)
        add("url", request.url.absoluteString)
        add("httpVersion", version(of: entry))
        list("cookies") { _ in }
        add("headers", request.headers)
        list("queryString") { text in
            for (name, value) in ArchiveQuery.items(of: request.url) {
                text.element { text in
                    text.add("name", name)
                    text.add("value", value ?? "")
                }
            }
        }
        let body = request.body.data ?? Data()
        if !request.body.isEmpty || entry.missingRequestBody != nil {
            object("postData") { text in
                text.add(
                    "mimeType", request.body.contentType ?? request.headers["Content-Type"] ?? "")
                if let missing = entry.missingRequestBody {
                    text.add("_missing", missing)
                    text.add("comment", missing)
                } else {
                    text.add(body, encoding: "_encoding")
                }
            }
        }
        add("headersSize", -1)
        add("bodySize", entry.missingRequestBody == nil ? Double(body.count) : -1)
    }

    private mutating func addResponse(of entry: HTTPArchive.Entry) {
        let response = entry.response ?? HTTPResponse(status: 0)
        add("status", Double(response.status))
        add("statusText", "")
        add("httpVersion", version(of: entry))
        list("cookies") { _ in }
        add("headers", response.headers)
        object("content") { text in
            let missing = entry.missingResponseBody
            // A size above zero without a text tells a reader that the body was left out.
            text.add("size", missing == nil ? Double(response.body.count) : 1)
            text.add("mimeType", response.headers["Content-Type"] ?? "")
            if let missing {
                text.add("comment", missing)
            } else if !response.body.isEmpty {
                text.add(response.body, encoding: "encoding")
            }
        }
        add("redirectURL", response.headers["Location"] ?? "")
        add("headersSize", -1)
        add("bodySize", -1)
        if let failure = entry.failure {
            add("_error", failure)
            add("comment", "the exchange failed: \(failure)")
        }
    }

    private func version(of entry: HTTPArchive.Entry) -> String {
        entry.response?.timing.connection?.protocolVersion ?? "unknown"
    }
}

extension ArchiveText {
    private mutating func add(_ name: String, _ headers: HTTPHeaders) {
        list(name) { text in
            for (name, value) in headers {
                text.element { text in
                    text.add("name", name)
                    text.add("value", value)
                }
            }
        }
    }

    private mutating func add(_ body: Data, encoding: String) {
        if let string = String(validating: body, as: UTF8.self) {
            add("text", string)
        } else {
            add("text", body.base64EncodedString())
            add(encoding, "base64")
        }
    }

    private mutating func add(_ name: String, _ value: String) {
        begin(name)
        quote(value)
    }

    /// Adds a number with at most three decimals.
    private mutating func add(_ name: String, _ number: Double) {
        begin(name)
        let thousandths = Int64((number * 1000).rounded())
        bytes += "\(thousandths / 1000)".utf8
        let rest = thousandths % 1000
        if rest > 0 { bytes += ".\("00\(rest)".suffix(3))".utf8 }
    }

    private mutating func object(_ name: String, _ body: (inout ArchiveText) -> Void) {
        begin(name)
        container("{", "}", body)
    }

    private mutating func list(_ name: String, _ body: (inout ArchiveText) -> Void) {
        begin(name)
        container("[", "]", body)
    }

    private mutating func element(_ body: (inout ArchiveText) -> Void) {
        line()
        container("{", "}", body)
    }

    private mutating func container(
        _ opening: String, _ closing: String, _ body: (inout ArchiveText) -> Void
    ) {
        bytes += opening.utf8
        depth += 1
        needsComma = false
        body(&self)
        depth -= 1
        if needsComma {
            needsComma = false
            line()
        }
        bytes += closing.utf8
        needsComma = true
    }

    private mutating func begin(_ name: String) {
        line()
        quote(name)
        bytes += ": ".utf8
        needsComma = true
    }

    private mutating func line() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        bytes.append(10)
        bytes += repeatElement(UInt8(ascii: " "), count: depth * 2)
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 10: bytes += "\\n".utf8
            case 0..<32:
                bytes += "\\u00\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

/// The times of an entry in milliseconds, as the format splits them; -1 for an unknown one.
private enum ArchiveTimes {
    static func of(_ entry: HTTPArchive.Entry) -> [(name: String, time: Double)] {
        let timing = entry.response?.timing ?? HTTPTiming()
        let metrics = timing.connection ?? ConnectionMetrics()
        let found = metrics.untilNameLookup ?? .zero
        // The time of `connect` includes that of `ssl`.
        let connected = metrics.untilSecure ?? metrics.untilConnected
        let total = timing.total ?? entry.duration
        let headers = timing.untilHeaders ?? total
        let secure = metrics.untilSecure.map { $0 - (metrics.untilConnected ?? found) }
        return [
            ("blocked", -1), ("dns", milliseconds(metrics.untilNameLookup)),
            ("connect", milliseconds(connected.map { $0 - found })), ("ssl", milliseconds(secure)),
            ("send", 0), ("wait", milliseconds(headers - (connected ?? found))),
            ("receive", milliseconds(total - headers)),
        ]
    }

    static func milliseconds(_ time: Duration?) -> Double {
        guard let time else { return -1 }
        return (max(time, .zero) / .microseconds(1)).rounded() / 1000
    }
}

/// The query of a recorded URL.
package enum ArchiveQuery {
    /// The decoded names and values, in order; an item without "=" has no value.
    package static func items(of url: URL) -> [(name: String, value: String?)] {
        let text = url.absoluteString.prefix { $0 != "#" }
        return items(in: text[text.prefix { $0 != "?" }.endIndex...].dropFirst())
    }

    /// The decoded names and values of a query or a form, in order; an item without "=" has no value.
    package static func items(in query: Substring) -> [(name: String, value: String?)] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { item in
            let (name, value) = Substring(item).parts(at: UInt8(ascii: "="))
            return (decoded(name), name.endIndex == item.endIndex ? nil : decoded(value))
        }
    }

    /// Decodes percent-encoding and "+"; a text that isn't UTF-8 is returned as it is.
    package static func decoded(_ text: Substring) -> String {
        let text = Substring(text.map { $0 == "+" ? " " : $0 })
        return PercentEncoding.decode(text) ?? String(text)
    }
}
