import PledgeHTTPMessages
import PledgeHTTPText

/// Which bytes of a file have arrived, and which are missing: a pure state machine.
///
/// Missing bytes may only come from the same version of the file. So requests for them have an If-Range with a strong
/// validator (RFC 9110, sections 13.1.5 and 15.3.7). If an answer doesn't fit, the download starts over.
struct DownloadState: Hashable, Sendable {
    /// A range of bytes, loaded from front to back.
    struct Part: Hashable, Sendable {
        /// The next missing byte.
        var next: Int64
        /// The end, exclusive; nil for the end of a file of unknown size.
        var end: Int64?

        var isComplete: Bool { next == end }
    }

    /// What to do with an answer.
    enum Step: Hashable, Sendable {
        /// Write the body at the part's next byte, up to a position, or up to the body's end.
        case write(upTo: Int64?)
        /// Write the body as the whole file, over the earlier bytes.
        case rewrite(upTo: Int64?)
        /// Nothing: all bytes have arrived.
        case end
        /// Start over, for this reason; `once` if the same reason may not come twice.
        case restart(String, once: Bool = false)
        /// Fail: the answer is an error.
        case refuse
    }

    /// The size of the first request of a download in several parts; its answer tells the file's size.
    static let firstPart: Int64 = 1 << 20

    private(set) var source: String
    /// The hash of the URL without its signature.
    let unsigned: String
    /// True if the URL's signature isn't the one with which the bytes were loaded.
    private var isSignedAnew = false
    /// Identifies the users who loaded the bytes (`RequestUsers.mark`).
    var users = ""
    /// A strong entity tag, or a date that is as good; nil if the server has sent neither.
    private(set) var validator: String?
    /// The codings of the bytes, as in Content-Encoding; empty for none.
    private(set) var coding = ""
    /// The size of the file as it is sent, in bytes; nil if it's unknown.
    private(set) var total: Int64?
    /// In order, without gaps.
    private(set) var parts = [Part(next: 0, end: nil)]

    init(url: String) {
        source = Self.hash(url)
        unsigned = Self.hash(SignedURL.withoutSignature(url))
    }

    private static func hash(_ text: String) -> String {
        SHA256.hash(Array(text.utf8)).hexadecimal
    }

    /// Returns an earlier call's state if this call can continue it; nil otherwise.
    ///
    /// If only the URL's signature differs, a strong entity tag and the size must show that the file is the same.
    func continuing(_ earlier: DownloadState) -> DownloadState? {
        if earlier.source == source { return earlier }
        guard earlier.unsigned == unsigned, earlier.validator.map(Self.isTag) == true,
            earlier.total != nil
        else { return nil }
        var state = earlier
        state.source = source
        state.isSignedAnew = true
        return state
    }

    /// How many bytes have arrived.
    var received: Int64 {
        parts.indices.reduce(0) { sum, index in
            sum + parts[index].next - (index == 0 ? 0 : parts[index - 1].end ?? 0)
        }
    }

    /// The end of the last byte that has arrived.
    var reached: Int64 {
        let begun = parts.indices.last {
            parts[$0].next > ($0 == 0 ? 0 : parts[$0 - 1].end ?? 0)
        }
        return begun.map { parts[$0].next } ?? 0
    }

    var isComplete: Bool { total != nil && parts.last?.end == total && missing.isEmpty }

    var missing: [Int] { parts.indices.filter { !parts[$0].isComplete } }

    /// Forgets all bytes, to start over.
    mutating func reset() {
        (users, validator, coding, total) = ("", nil, "", nil)
        parts = [Part(next: 0, end: nil)]
        isSignedAnew = false
    }

    /// Divides the missing range among several requests.
    mutating func divide(into count: Int) {
        guard let last = parts.last else { return }
        guard let total else {
            if count > 1, last.next == 0 { parts[0].end = Self.firstPart }
            return
        }
        if let end = last.end, end < total { parts.append(Part(next: end, end: total)) }
        guard let index = missing.first, missing.count == 1, let end = parts[index].end else {
            return
        }
        let start = parts[index].next
        let count = min(Int64(count), (end - start) / Self.firstPart)
        guard count > 1 else { return }
        let size = (end - start) / count
        parts[index].end = start + size
        parts.insert(
            contentsOf: (1..<count).map { number in
                let next = start + number * size
                return Part(next: next, end: number == count - 1 ? end : next + size)
            }, at: index + 1)
    }

    /// The headers that ask for a part's next bytes; empty to ask for the whole file.
    func headers(of index: Int) -> HTTPHeaders {
        let part = parts[index]
        if part.next == 0, parts.count == 1, part.end == total { return [:] }
        let isLast =
            index == parts.count - 1 && (total == nil ? part.end == nil : part.end == total)
        let last = part.end.map { "\($0 - 1)" } ?? ""
        var headers: HTTPHeaders = ["Range": "bytes=\(part.next)-\(isLast ? "" : last)"]
        if let validator { headers.set(validator, for: "If-Range") }
        return headers
    }

    /// Decides what to do with the answer to a part's request.
    ///
    /// - Parameters:
    ///   - status: The answer's status.
    ///   - isAccepted: True if the caller accepts the status.
    ///   - headers: The answer's headers.
    ///   - length: The length of the body; nil if it's unknown.
    ///   - isDecoded: True if a layer below has decoded the body, so that a Range doesn't count these bytes.
    mutating func receive(
        _ status: Int, isAccepted: Bool, _ headers: HTTPHeaders, length: Int64?,
        isDecoded: Bool = false, for index: Int
    ) -> Step {
        let asksForAll = self.headers(of: index).isEmpty
        let range = headers["Content-Range"].flatMap { ContentRange($0) }
        switch status {
        case 206 where !asksForAll:
            if isDecoded { return .restart("the part is encoded, and already decoded") }
            return receivePart(headers, range, length, index)
        case 206: return .refuse
        case 416 where !asksForAll:
            // The requested range begins at the end of the file, so nothing is missing.
            guard total == nil, parts.count == 1, range?.bytes == nil, let size = range?.total,
                size == parts[0].next, headers["ETag"] == nil || isOfSameFile(headers)
            else { return .restart("the server has no such range") }
            finish(at: size)
            return .end
        case _ where !isAccepted: return .refuse
        default:
            guard parts.count == 1 else { return .restart("the file has changed") }
            reset()
            total = length
            parts[0].end = length
            coding = Self.coding(in: headers)
            validator = isDecoded ? nil : Self.validator(in: headers)
            return .rewrite(upTo: length)
        }
    }

    private mutating func receivePart(
        _ headers: HTTPHeaders, _ range: ContentRange?, _ length: Int64?, _ index: Int
    ) -> Step {
        guard let range, let bytes = range.bytes else {
            return .restart("the part has no readable Content-Range")
        }
        let part = parts[index]
        guard bytes.lowerBound == part.next, bytes.upperBound <= part.end ?? .max else {
            return .restart("another part came than was asked for")
        }
        guard length ?? Int64(bytes.count) == bytes.count else {
            return .restart("the part's length isn't what its Content-Range says")
        }
        if let total {
            guard range.total == total || range.total == nil && !isSignedAnew else {
                return .restart("the size has changed")
            }
        }
        if let validator {
            // A 206 to an If-Range must have the ETag (RFC 9110, section 15.3.7).
            if validator.hasPrefix("\""), headers["ETag"] == nil {
                return .restart("the part has no ETag", once: true)
            }
            guard isOfSameFile(headers) else { return .restart("the file has changed") }
            guard Self.coding(in: headers) == coding else {
                return .restart("the part is encoded otherwise than the file")
            }
        } else {
            coding = Self.coding(in: headers)
            validator = Self.validator(in: headers)
            if validator == nil { return .restart("the server sends no strong validator") }
        }
        if total == nil {
            if part.end != nil, range.total == nil { return .restart("the size isn't known") }
            total = range.total
            if part.end == nil { parts[index].end = total }
            // A small file ends within its first part.
            if let total, let end = part.end, end > total { parts[index].end = total }
        }
        return .write(upTo: bytes.upperBound)
    }

    /// Returns false if an answer is about another version of the file.
    private func isOfSameFile(_ headers: HTTPHeaders) -> Bool {
        guard let validator else { return true }
        let name = validator.hasPrefix("\"") ? "ETag" : "Last-Modified"
        return headers[name] ?? validator == validator
    }

    mutating func advance(_ index: Int, by count: Int) { parts[index].next += Int64(count) }

    /// Sets the size of a file whose end has been reached.
    mutating func finish(at size: Int64) {
        total = size
        parts = [Part(next: size, end: size)]
    }

    /// The codings in lower case, without "identity".
    private static func coding(in headers: HTTPHeaders) -> String {
        headers.values(for: "Content-Encoding").joined(separator: ",").lowercased()
            .split(separator: ",").map(HTTPHeaders.trimmed)
            .filter { !$0.isEmpty && $0 != "identity" }.joined(separator: ",")
    }

    /// What If-Range may name: a strong entity tag, or a Last-Modified at least a minute before Date.
    private static func validator(in headers: HTTPHeaders) -> String? {
        if headers["Accept-Ranges"]?.lowercased() == "none" { return nil }
        let tags = headers.values(for: "ETag")
        if !tags.isEmpty {
            return tags.count == 1 && isTag(tags[0]) ? tags[0] : nil
        }
        guard let changed = headers.date("Last-Modified"), let sent = headers.date("Date"),
            changed <= sent.addingTimeInterval(-60)
        else { return nil }
        return headers["Last-Modified"]
    }

    /// Returns whether a validator of the stored record may be sent in If-Range: an entity tag, or a date.
    private static func isValidator(_ text: String) -> Bool {
        isTag(text) || Date(httpText: text) != nil && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
    }

    private static func isTag(_ text: String) -> Bool {
        text.utf8.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
            && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
    }
}

extension DownloadState {
    var encoded: [UInt8] {
        var lines = [
            "pledge-download 2", source, unsigned, users, validator ?? "", coding,
            total.map { "\($0)" } ?? "",
        ]
        lines += parts.map { "\($0.next) \($0.end.map { "\($0)" } ?? "")" }
        return SealedLines.encoded(lines)
    }

    /// Returns nil if the bytes are damaged, or aren't a state.
    ///
    /// If all bytes have arrived, the last one counts as missing, so that the server is asked whether the file is still
    /// the same.
    init?(encoded: [UInt8]) {
        guard let lines = SealedLines.decoded(encoded), lines.count >= 8,
            lines[0] == "pledge-download 2", Self.isValidator(lines[4])
        else { return nil }
        source = lines[1]
        unsigned = lines[2]
        users = lines[3]
        validator = lines[4]
        coding = lines[5]
        total = Int64(lines[6])
        parts = []
        for line in lines[7...] {
            let ends = line.split(separator: " ", omittingEmptySubsequences: false)
            let end = ends.last.flatMap { Int64($0) }
            guard ends.count == 2, let next = Int64(ends[0]),
                next >= parts.last?.end ?? 0, next <= end ?? .max, end ?? 0 <= total ?? .max
            else { return nil }
            parts.append(Part(next: next, end: end))
        }
        // Only the last part of a file of unknown size may have no end.
        guard parts.dropLast().allSatisfy({ $0.end != nil }),
            (parts.last?.end == nil) == (total == nil) || parts.last?.end == Self.firstPart
        else { return nil }
        if isComplete, let total { parts = total == 0 ? [] : [Part(next: total - 1, end: total)] }
        if parts.isEmpty { return nil }
    }
}

/// Lines of text with a hash that shows damage.
package enum SealedLines {
    package static func encoded(_ lines: [String]) -> [UInt8] {
        let text = Array(lines.joined(separator: "\n").utf8)
        return Array(SHA256.hash(text).hexadecimal.utf8) + text
    }

    /// The lines; nil if the bytes are damaged.
    package static func decoded(_ bytes: [UInt8]) -> [String]? {
        let text = Array(bytes.dropFirst(64))
        guard bytes.prefix(64).elementsEqual(SHA256.hash(text).hexadecimal.utf8) else { return nil }
        return String(decoding: text, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
}
