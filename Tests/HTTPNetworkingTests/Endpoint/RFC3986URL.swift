/// The parts of a URL according to RFC 3986 (appendix B), in bytes.
///
/// It shares no code with the code that makes URLs.
struct RFC3986URL {
    let scheme: String
    let authority: String
    /// The decoded segments; the first segment of an absolute path is empty.
    let segments: [[UInt8]]
    /// The decoded items of the query: a name, and the text after the first "=".
    let query: [[[UInt8]]]?
    let fragment: String?

    /// Parses a URL; nil if a byte is not allowed at its place.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        func take(upTo ends: String) -> [UInt8] {
            let part = rest.prefix { !ends.utf8.contains($0) }
            rest = rest[part.endIndex...]
            return Array(part)
        }
        scheme = String(decoding: take(upTo: ":/?#"), as: UTF8.self)
        guard rest.starts(with: "://".utf8) else { return nil }
        rest = rest.dropFirst(3)
        authority = String(decoding: take(upTo: "/?#"), as: UTF8.self)
        let path = take(upTo: "?#")
        let search = rest.first == UInt8(ascii: "?") ? take(upTo: "#") : nil
        fragment = rest.isEmpty ? nil : String(decoding: rest.dropFirst(), as: UTF8.self)
        guard Self.isAllowed(path, punctuation: "-._~!$&'()*+,;=:@/"),
            Self.isAllowed(search?.dropFirst() ?? [], punctuation: "-._~!$&'()*+,;=:@/?")
        else { return nil }
        segments = Self.split(path[...], at: "/").map(Self.decoded)
        query = search.map { search in
            Self.split(search.dropFirst(), at: "&").map { item in
                let name = item.prefix { $0 != UInt8(ascii: "=") }
                return
                    ([name] + (name.endIndex < item.endIndex ? [item[(name.endIndex + 1)...]] : []))
                    .map(Self.decoded)
            }
        }
    }

    private static func split(_ bytes: ArraySlice<UInt8>, at mark: Unicode.Scalar) -> [ArraySlice<
        UInt8
    >] {
        bytes.split(separator: UInt8(ascii: mark), omittingEmptySubsequences: false)
    }

    private static func isAllowed(_ bytes: some Sequence<UInt8>, punctuation: String) -> Bool {
        let others = punctuation + "%"
        return bytes.allSatisfy { byte in
            let character = Character(Unicode.Scalar(byte))
            return byte < 0x80
                && (character.isLetter || character.isNumber || others.contains(character))
        }
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var rest = bytes
        var decoded: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                // A single "%" is not valid: it becomes a byte that no test expects.
                decoded.append(UInt8(digits, radix: 16) ?? 0xFF)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }
}
