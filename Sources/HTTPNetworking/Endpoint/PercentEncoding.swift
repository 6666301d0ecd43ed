/// Which bytes of UTF-8 stand for themselves in a part of a URL, and how the others are written.
package struct PercentEncoding {
    /// Of a path: RFC 3986's `pchar` and "/", less "+".
    static let path = PercentEncoding(allowing: "-._~!$&'()*,;=:@/")

    /// Of a query's name or value: RFC 3986's `unreserved`.
    static let query = PercentEncoding(allowing: "-._~")

    /// Of a form's name or value, by the URL standard of WHATWG, section 5: a space is "+".
    static let form = PercentEncoding(allowing: "*-._", spaceAsPlus: true)

    private let allowed: [Bool]
    private let spaceAsPlus: Bool

    private init(allowing punctuation: String, spaceAsPlus: Bool = false) {
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
    }

    /// Writes a text so that only ASCII is left.
    ///
    /// Complexity: linear in its length.
    func encode(_ text: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if allowed[Int(byte)] {
                bytes.append(byte)
            } else if spaceAsPlus, byte == UInt8(ascii: " ") {
                bytes.append(UInt8(ascii: "+"))
            } else {
                bytes += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a percent-encoded text, or returns nil where its bytes are no UTF-8.
    ///
    /// A "%" that two hexadecimal digits do not follow stands for itself, and so does "+".
    package static func decode(_ text: some StringProtocol) -> String? {
        var rest = Array(text.utf8)[...]
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
        return String(validating: bytes, as: UTF8.self)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt8.init)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
