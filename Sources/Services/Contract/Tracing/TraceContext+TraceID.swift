extension TraceContext {
    /// The 16 bytes that identify a trace; not all of them are zero.
    public struct TraceID {
        /// The first 8 bytes.
        public let high: UInt64

        /// The last 8 bytes.
        public let low: UInt64

        /// Makes an ID, or returns nil if all bytes are zero.
        public init?(high: UInt64, low: UInt64) {
            guard high != 0 || low != 0 else { return nil }
            self.high = high
            self.low = low
        }

        /// Reads an ID of 32 hexadecimal digits in lower case; nil for anything else, and for zeros only.
        public init?(_ text: String) { self.init(digits: Array(text.utf8)[...]) }

        init?(digits: ArraySlice<UInt8>) {
            guard digits.count == 32, let high = HexDigits.value(of: digits.prefix(16)),
                let low = HexDigits.value(of: digits.suffix(16))
            else { return nil }
            self.init(high: high, low: low)
        }

        /// Makes a random ID of two numbers.
        init(random: RandomSource) {
            high = random.next()
            let low = random.next()
            self.low = high == 0 && low == 0 ? 1 : low
        }
    }
}

extension TraceContext.TraceID: CustomStringConvertible {
    /// 32 hexadecimal digits in lower case.
    public var description: String { HexDigits.text(high) + HexDigits.text(low) }
}

extension TraceContext.TraceID: Hashable, Sendable {}
