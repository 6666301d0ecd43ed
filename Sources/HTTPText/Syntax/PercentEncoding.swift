/// The rules for percent-encoding one part of a URL: which UTF-8 bytes are not encoded.
package struct PercentEncoding {
    /// For a literal path and query, which are encoded already.
    ///
    /// The characters that RFC 3986, section 3, allows in a path or a query stay as they are, and so does a "%" before
    /// two hexadecimal digits.
    package static let literal = PercentEncoding(
        allowing: "-._~!$&'()*+,;=:@/?", keepingEscapes: true)

    /// For a path: RFC 3986's `pchar` and "/", without "+", which some servers read as a space.
    package static let path = PercentEncoding(allowing: "-._~!$&'()*,;=:@/")

    /// For a value in a path segment: a path's characters without "/" and ";".
    ///
    /// Some servers read parameters after ";".
    package static let segment = PercentEncoding(allowing: "-._~!$&'()*,=:@")

    /// For a query's name or value: RFC 3986's `unreserved`.
    package static let query = PercentEncoding(allowing: "-._~")

    /// For a form's name or value (WHATWG's URL standard, section 5): a space becomes "+".
    package static let form = PercentEncoding(allowing: "*-._", spaceAsPlus: true)

    /// For a text in which nothing but letters and digits may have a meaning, such as a parameter (RFC 8187).
    package static let word = PercentEncoding(allowing: "")

    private let allowed: [Bool]
    private let spaceAsPlus: Bool
    private let keepsEscapes: Bool

    private init(
        allowing punctuation: String, spaceAsPlus: Bool = false, keepingEscapes: Bool = false
    ) {
        let others = Array(punctuation.utf8)
        allowed = (UInt8.min...UInt8.max).map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: others.contains(byte)
            }
        }
        self.spaceAsPlus = spaceAsPlus
        keepsEscapes = keepingEscapes
    }

    /// Percent-encodes a text, so that only ASCII is left.
    ///
    /// A text that needs no encoding is returned without a copy.
    ///
    /// - Complexity: Linear in the length of the text.
    package func encode(_ text: String) -> String {
        if text.utf8.allSatisfy({ allowed[Int($0)] }) { return text }
        return String(decoding: encode(Array(text.utf8)[...]), as: UTF8.self)
    }

    /// Percent-encodes bytes, which need not be UTF-8; see `encode(_:)`.
    package func encode(_ source: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(source.count + 16)
        var rest = source
        while let byte = rest.popFirst() {
            if allowed[Int(byte)]
                || keepsEscapes && byte == UInt8(ascii: "%") && Self.isEscape(rest)
            {
                bytes.append(byte)
            } else if spaceAsPlus, byte == UInt8(ascii: " ") {
                bytes.append(UInt8(ascii: "+"))
            } else {
                bytes += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
            }
        }
        return bytes
    }

    /// Decodes a percent-encoded text; nil if its bytes are not UTF-8.
    ///
    /// A "%" stands for itself unless two hexadecimal digits follow. A "+" always stands for itself.
    package static func decode(_ text: some StringProtocol) -> String? {
        String(validating: decodedBytes(of: text.utf8), as: UTF8.self)
    }

    /// Decodes a percent-encoded text to bytes, which need not be UTF-8; see `decode(_:)`.
    package static func decodedBytes(of text: some Sequence<UInt8>) -> [UInt8] {
        var rest = Array(text)[...]
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(Self.value),
                let low = rest.dropFirst().first.flatMap(Self.value)
            {
                bytes.append(high << 4 | low)
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    private static func isEscape(_ rest: ArraySlice<UInt8>) -> Bool {
        let digits = rest.prefix(2)
        return digits.count == 2 && digits.allSatisfy { value($0) != nil }
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt8.init)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
