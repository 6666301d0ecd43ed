/// Hexadecimal digits in lower case, the only ones that trace headers may have.
enum HexDigits {
    /// The number that digits stand for; nil where one is no such digit.
    ///
    /// - Parameter digits: 16 at most.
    static func value(of digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }

    /// Adds the digits of a number to a text, 16 unless told otherwise.
    static func append(_ value: UInt64, count: Int = 16, to text: inout [UInt8]) {
        for place in (0..<count).reversed() {
            let digit = UInt8(truncatingIfNeeded: value >> (4 * place) & 0xF)
            text.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }
}
