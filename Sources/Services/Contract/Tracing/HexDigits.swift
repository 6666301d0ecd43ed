/// Hexadecimal digits in lower case.
package enum HexDigits {
    /// The number that digits represent; nil if one is not such a digit.
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

    /// The digits of a number, by default 16.
    package static func text(_ value: UInt64, count: Int = 16) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}
