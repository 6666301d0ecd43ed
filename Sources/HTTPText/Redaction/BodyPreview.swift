/// The beginning of a body, for a log.
package enum BodyPreview {
    /// Returns the part of a body that may be shown; nil if nothing may be shown.
    ///
    /// - Parameters:
    ///   - body: The body. Only its first 64 KiB are examined.
    ///   - contentType: The declared type.
    ///   - secrets: The secrets that must not be shown.
    ///   - harmless: The names in JSON whose values are shown.
    ///   - limit: The largest number of characters shown.
    package static func text(
        of body: Data, contentType: String?, without secrets: KnownSecrets,
        harmless: HarmlessNames, upTo limit: Int
    ) -> String? {
        guard !body.isEmpty, limit > 0 else { return nil }
        var secrets = secrets
        switch BodyText(body, contentType: contentType, harmless: harmless) {
        case .form where !secrets.isComplete, .plain where !secrets.isComplete: return nil
        case .json(let outline):
            // A value hidden in one place must not appear in a message elsewhere.
            for value in outline.values { secrets.add(value) }
            return JSONPreview.text(outline, without: secrets, harmless: harmless, upTo: limit)
        case .form(let text, _): return form(text, without: secrets, upTo: limit)
        case .plain(let text):
            let start = Array(text.prefix(KnownSecrets.shownAtOnce))
            return SafeText.line(
                secrets.shown(start, isCut: start.count < text.count), upTo: limit)
        case .opaque: return nil
        }
    }

    private static func form(
        _ text: [UInt8], without secrets: KnownSecrets, upTo limit: Int
    ) -> String {
        let start = Array(text.prefix(KnownSecrets.shownAtOnce))
        // The text is scrubbed as a whole, because a secret may span a name and a value.
        let scrubbed = SafeText.replacing(secrets.marks(in: start), in: start)
        let names = SafeText.names(inQuery: scrubbed[...])
        return SafeText.line(
            names.dropLast(start.count < text.count ? 1 : 0).joined(separator: "&"), upTo: limit)
    }
}

/// The kind of a body, found from its declared type and its content.
///
/// The kind decides how the body is shown.
package enum BodyText {
    /// JSON, or a text that begins like JSON.
    case json(JSONOutline)
    /// Names and values joined by "=" and "&", either declared as a form or only looking like one.
    case form([UInt8], isDeclared: Bool)
    /// Plain text, or HTML.
    case plain([UInt8])
    /// Anything else, which is not shown at all.
    case opaque

    /// Examines the first 64 KiB of a body.
    ///
    /// Whatever the declared type, a body that looks like JSON is treated as JSON, and a body that looks like a form is
    /// treated as a form. If such a body were treated as plain text, its values would be shown.
    package init(_ body: Data, contentType: String?, harmless: HarmlessNames = .none) {
        let bytes = Array(body.prefix(KnownSecrets.limit))
        guard var text = Self.text(bytes, isCut: bytes.count < body.count) else {
            self = .opaque
            return
        }
        if text.starts(with: Self.byteOrderMark) { text.removeFirst(3) }
        let type = Self.mediaType(contentType)
        let outline = JSONOutline(
            text, isCut: bytes.count < body.count, harmless: harmless)
        switch text.first(where: { $0 > 32 }) {
        case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""):
            if outline.isWhole || outline.hasText {
                self = .json(outline)
                return
            }
        default:
            if type.contains("json"), outline.isWhole {
                self = .json(outline)
                return
            }
        }
        let isForm = type == "application/x-www-form-urlencoded"
        switch type {
        case _ where isForm || Self.looksLikeForm(text):
            self = .form(text, isDeclared: isForm)
        case "", "text/plain", "text/html": self = .plain(text)
        default: self = type.contains("json") ? .plain(text) : .opaque
        }
    }

    /// Returns the media type in lower case, without parameters; empty if there is none.
    package static func mediaType(_ contentType: String?) -> String {
        let type = (contentType ?? "").prefix { $0 != ";" && $0 != "," }
        return type.filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    /// The byte order mark in UTF-8.
    package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns UTF-8 text; nil for bytes that are not text.
    ///
    /// Bytes that contain NUL don't count as text. An incomplete character at the end of a cut text is dropped.
    package static func text(_ bytes: [UInt8], isCut: Bool) -> [UInt8]? {
        guard !bytes.contains(0) else { return nil }
        for dropped in 0...(isCut ? 3 : 0) {
            let text = bytes.dropLast(dropped)
            if String(validating: text, as: UTF8.self) != nil { return Array(text) }
        }
        return nil
    }

    /// Returns whether a text is one or more `name=value` pairs, without a space.
    package static func looksLikeForm(_ text: [UInt8]) -> Bool {
        guard text.contains(UInt8(ascii: "=")), text.allSatisfy({ $0 > 32 }) else { return false }
        return text.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .allSatisfy { item in
                guard let end = item.firstIndex(of: UInt8(ascii: "=")) else { return false }
                let name = item[..<end]
                return !name.isEmpty && end < item.endIndex - 1
                    && !item[(end + 1)...].contains(UInt8(ascii: "="))
                    && name.allSatisfy { "-._~%+[]".utf8.contains($0) || $0.isLetterOrDigit }
            }
    }
}

/// JSON as a log shows it: the names, the structure, and the values of harmless names.
struct JSONPreview {
    private let outline: JSONOutline
    private let secrets: KnownSecrets
    private let harmless: HarmlessNames
    private let limit: Int

    private var text = ""
    /// The number of characters written.
    private var count = 0
    private var name: ArraySlice<UInt8>?
    /// True if a comma is needed before the next value.
    private var needsComma = false
    private var depth = 0

    /// Returns the shown form of a JSON text.
    ///
    /// - Parameters:
    ///   - outline: The outline of the text. If it is incomplete, no value is shown.
    ///   - secrets: The secrets to remove from names and values, including the outline's values. If not all secrets are
    ///     known, only the names that describe errors are shown.
    ///   - harmless: The names whose values are shown.
    ///   - limit: The largest number of characters; "…" follows them if the text is longer.
    static func text(
        _ outline: JSONOutline, without secrets: KnownSecrets, harmless: HarmlessNames,
        upTo limit: Int
    ) -> String {
        let shown = outline.isWhole && secrets.isComplete ? harmless : .none
        var preview = JSONPreview(
            outline: outline, secrets: secrets, harmless: shown, limit: limit)
        preview.write()
        return preview.text
    }

    private init(
        outline: JSONOutline, secrets: KnownSecrets, harmless: HarmlessNames, limit: Int
    ) {
        self.outline = outline
        self.secrets = secrets
        self.harmless = harmless
        self.limit = limit
    }

    private mutating func write() {
        var scanner = JSONScanner(outline.bytes)
        while count <= limit {
            switch scanner.next() {
            case .open(let isObject):
                writeSeparator()
                append(isObject ? "{" : "[")
                depth += 1
                needsComma = false
            case .close(let isObject):
                append(isObject ? "}" : "]")
                depth -= 1
                needsComma = true
            case .name(let range):
                writeSeparator()
                name = outline.bytes[range]
                // If not all secrets are known, a name may contain one. Then only the names that describe errors are
                // shown.
                let isShown = secrets.isComplete || HarmlessNames.ofErrors.contains(name)
                append((isShown ? quoted(range) : "\"…\"") + ":")
                needsComma = false
            case .string(let range): writeValue(range, hidden: "\"…\"") { $0.quoted(range) }
            case .scalar(let range):
                writeValue(range, hidden: "…") { preview in
                    preview.secrets.scrubbed(
                        String(decoding: preview.outline.bytes[range], as: UTF8.self))
                }
            case .end: return cut()
            case .broken:
                append("…")
                return cut()
            }
        }
        cut()
    }

    private mutating func writeValue(
        _ range: Range<Int>, hidden: String, _ shown: (JSONPreview) -> String
    ) {
        let isShown = harmless.contains(name)
        writeSeparator()
        append(isShown ? shown(self) : hidden)
        needsComma = true
    }

    /// Writes the separator between two values.
    private mutating func writeSeparator() {
        if needsComma { append(depth == 0 ? " " : ",") }
        name = nil
    }

    /// Returns a string's text without secrets, quoted again.
    private func quoted(_ range: Range<Int>) -> String {
        let raw = outline.bytes[range].prefix(KnownSecrets.shownAtOnce)
        let written = EscapedText(raw)
        let text = written.read(.backslash) ?? written
        var shown = secrets.shown(text.bytes, isCut: raw.count < range.count)
        if range.isEmpty { shown = "" }
        return "\"\(shown.escapedForJSON)\""
    }

    private mutating func append(_ piece: String) {
        text += piece
        count += piece.unicodeScalars.count
    }

    private mutating func cut() { text = SafeText.line(text, upTo: limit) }
}

extension String {
    /// The text with quotes and backslashes escaped as in JSON; control characters are left as they are.
    fileprivate var escapedForJSON: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            if scalar == "\"" || scalar == "\\" { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
    }
}

/// The properties of a JSON text that decide how it is shown.
package struct JSONOutline {
    let bytes: [UInt8]

    /// True if the text was parsed to its end.
    package private(set) var isWhole = false

    /// True if the text is JSON, rather than a text that only begins with a bracket.
    private(set) var hasText = false

    /// The strings with their escapes, and the numbers, Booleans and nulls, except the values of harmless names.
    private(set) var values: [ArraySlice<UInt8>] = []

    /// The names, with their escapes.
    package private(set) var names: [ArraySlice<UInt8>] = []

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - isCut: True if the text is cut off, so that it cannot be complete.
    ///   - harmless: The names whose values are left out.
    package init(_ bytes: [UInt8], isCut: Bool = false, harmless: HarmlessNames = .none) {
        self.bytes = bytes
        var scanner = JSONScanner(bytes)
        var name: ArraySlice<UInt8>?
        while true {
            switch scanner.next() {
            case .open, .close: name = nil
            case .name(let range):
                name = bytes[range]
                names.append(bytes[range])
                hasText = true
            case .string(let range):
                hasText = true
                take(range, named: &name, harmless)
            case .scalar(let range): take(range, named: &name, harmless)
            case .end:
                isWhole = !isCut
                return
            case .broken: return
            }
        }
    }

    private mutating func take(
        _ range: Range<Int>, named name: inout ArraySlice<UInt8>?, _ harmless: HarmlessNames
    ) {
        if !harmless.contains(name) { values.append(bytes[range]) }
        name = nil
    }
}

/// The names in JSON whose strings and numbers describe an error.
package struct HarmlessNames {
    private let names: Set<String>

    /// No names, so that every value is hidden, as in a request's body.
    package static let none = HarmlessNames(names: [])

    /// The names in servers' errors: from RFC 9457, from RFC 6749, and other common ones.
    package static let ofErrors = HarmlessNames(names: [
        "error", "errorcode", "errordescription", "errormessage", "errortype", "message", "msg",
        "code", "status", "statuscode", "title", "detail", "type", "reason", "description",
        "instance",
    ])

    /// Returns whether the names contain a name, ignoring case, "_" and "-".
    func contains(_ name: ArraySlice<UInt8>?) -> Bool {
        guard let name, name.count <= 32, !names.isEmpty else { return false }
        let word = name.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
        return names.contains(String(decoding: word, as: UTF8.self).lowercased())
    }
}

/// Scans JSON (RFC 8259) token by token, without building a tree.
///
/// Any number of values may follow one another, as in JSON Lines. The scanner accepts slightly more than valid JSON,
/// and returns `broken` for everything else. Its memory is proportional to the depth of the JSON.
struct JSONScanner {
    /// A token with its range in the text.
    enum Token: Equatable {
        /// The beginning of an object or an array.
        case open(isObject: Bool)
        /// The end of the innermost object or array.
        case close(isObject: Bool)
        /// A name in an object, without its quotes.
        case name(Range<Int>)
        /// A string, without its quotes.
        case string(Range<Int>)
        /// A number, true, false or null.
        case scalar(Range<Int>)
        /// The end of a complete text.
        case end
        /// Anything that is not JSON, or a text that ends within a value.
        case broken
    }

    private enum Expected {
        case value, valueOrEnd, name, nameOrEnd, commaOrEnd
    }

    private let bytes: ArraySlice<UInt8>
    /// The end of what was scanned, without the token that was broken.
    private(set) var position: Int
    private var expected = Expected.value
    private var hasValue = false
    /// One flag for each open container: true for an object, false for an array.
    private var containers: [Bool] = []

    /// Begins at the start of a text, behind its byte order mark if it has one.
    init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    /// Begins at the start of a part of a text, whose indices the tokens' ranges have.
    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
        if bytes.starts(with: BodyText.byteOrderMark) { position += BodyText.byteOrderMark.count }
    }

    /// Returns the next token; after `end` or `broken`, the same one again.
    mutating func next() -> Token {
        skipSpace()
        guard position < bytes.endIndex else {
            return containers.isEmpty && hasValue ? .end : .broken
        }
        switch (expected, bytes[position]) {
        case (.commaOrEnd, UInt8(ascii: ",")):
            position += 1
            expected = containers.last == true ? .name : .value
            return next()
        case (.commaOrEnd, UInt8(ascii: "}")), (.nameOrEnd, UInt8(ascii: "}")):
            return close(isObject: true)
        case (.commaOrEnd, UInt8(ascii: "]")), (.valueOrEnd, UInt8(ascii: "]")):
            return close(isObject: false)
        case (.name, UInt8(ascii: "\"")), (.nameOrEnd, UInt8(ascii: "\"")): return name()
        case (.value, let byte), (.valueOrEnd, let byte): return value(byte)
        default: return .broken
        }
    }

    private mutating func value(_ byte: UInt8) -> Token {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            position += 1
            let isObject = byte == UInt8(ascii: "{")
            containers.append(isObject)
            expected = isObject ? .nameOrEnd : .valueOrEnd
            return .open(isObject: isObject)
        case UInt8(ascii: "\""):
            guard let range = string() else { return .broken }
            endValue()
            return .string(range)
        default: return scalar()
        }
    }

    private mutating func close(isObject: Bool) -> Token {
        guard containers.last == isObject else { return .broken }
        position += 1
        containers.removeLast()
        endValue()
        return .close(isObject: isObject)
    }

    private mutating func name() -> Token {
        let start = position
        guard let range = string() else { return .broken }
        skipSpace()
        guard position < bytes.endIndex, bytes[position] == UInt8(ascii: ":") else {
            position = start
            return .broken
        }
        position += 1
        expected = .value
        return .name(range)
    }

    private mutating func scalar() -> Token {
        let end = bytes[position...].firstIndex { !$0.isOfScalar } ?? bytes.endIndex
        let range = position..<end
        let isNumber = bytes[position] == UInt8(ascii: "-") || (48...57).contains(bytes[position])
        guard isNumber || Self.words.contains(where: { $0.elementsEqual(bytes[range]) }) else {
            return .broken
        }
        position = end
        endValue()
        return .scalar(range)
    }

    /// Reads the string at the current position, and returns its range without quotes; nil if it does not end.
    private mutating func string() -> Range<Int>? {
        var end = position + 1
        while end < bytes.endIndex, bytes[end] != UInt8(ascii: "\"") {
            end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard end < bytes.endIndex else { return nil }
        defer { position = end + 1 }
        return position + 1..<end
    }

    private mutating func endValue() {
        hasValue = true
        expected = containers.isEmpty ? .value : .commaOrEnd
    }

    private mutating func skipSpace() {
        while position < bytes.endIndex {
            switch bytes[position] {
            case 32, 9, 10, 13, 0x1E: position += 1
            default: return
            }
        }
    }

    private static let words = ["true".utf8, "false".utf8, "null".utf8]
}

extension UInt8 {
    /// True if the byte may be part of a number, or of the words true, false and null.
    fileprivate var isOfScalar: Bool {
        switch self {
        case 48...57, 65...90, 97...122, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
