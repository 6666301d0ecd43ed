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
