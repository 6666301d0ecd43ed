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
