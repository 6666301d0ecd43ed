extension HTTPHeaders {
    /// Whether a field can be sent: a name that is a token, and a value without control characters.
    ///
    /// A token is made of letters and digits of ASCII, `!#$%&'*+-.^_|~` and the backtick (RFC 9110,
    /// section 5.6.2). A value contains no CR, LF, NUL or other control character except tab, because with
    /// them one field becomes several. Text beyond ASCII is allowed in a value.
    public static func isValid(name: String, value: String) -> Bool {
        isToken(name)
            && value.unicodeScalars.allSatisfy { scalar in
                // The control characters of Unicode's category Cc, without a look-up in its tables.
                switch scalar.value {
                case 0x09: true
                case 0x00...0x1F, 0x7F...0x9F: false
                default: true
                }
            }
    }

    /// Whether a value of bytes can be sent: without control characters except tab (RFC 9110, section 5.5).
    package static func isValid(bytes: some Sequence<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// Whether the field at an index can be sent.
    func isValid(at index: Int, name: String, value: String) -> Bool {
        guard let bytes = bytes(at: index) else { return Self.isValid(name: name, value: value) }
        return Self.isToken(name) && Self.isValid(bytes: bytes)
    }

    /// Whether a text is a token, which a field's name and a method must be.
    package static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// Whether a byte is allowed in a token.
    package static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
            UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"),
            UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
