/// A body as what can be shown of it: what it is said to be, and what it is.
enum BodyText {
    /// JSON, or what begins as such.
    case json(JSONOutline)
    /// Names and values with "=" and "&" between them, said to be a form or only looking like one.
    case form([UInt8], isDeclared: Bool)
    /// A plain text, or HTML.
    case plain([UInt8])
    /// Anything else; nothing of it is shown.
    case opaque

    /// Examines the first 64 KiB of a body.
    ///
    /// A body that looks like JSON, or like a form, is treated as such, whatever its declared type: shown as
    /// text it would show its values.
    init(_ body: Data, contentType: String?, harmless: HarmlessNames = .none) {
        let bytes = Array(body.prefix(KnownSecrets.limit))
        guard let text = Self.text(bytes, isCut: bytes.count < body.count) else {
            self = .opaque
            return
        }
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

    /// The media type in lower case, without parameters; empty if there is none.
    static func mediaType(_ contentType: String?) -> String {
        let type = (contentType ?? "").prefix { $0 != ";" && $0 != "," }
        return type.filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    /// The bytes if they are UTF-8 without NUL, without a byte order mark and an incomplete character at the
    /// end.
    private static func text(_ bytes: [UInt8], isCut: Bool) -> [UInt8]? {
        guard !bytes.contains(0) else { return nil }
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        for dropped in 0...(isCut ? 3 : 0) {
            let text = bytes.dropLast(dropped)
            if String(validating: text, as: UTF8.self) != nil { return Array(text) }
        }
        return nil
    }

    /// Whether it is `name=value` or several of these, without a space.
    private static func looksLikeForm(_ text: [UInt8]) -> Bool {
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
