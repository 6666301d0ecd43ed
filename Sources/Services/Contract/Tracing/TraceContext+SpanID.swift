extension TraceContext {
    /// The 8 bytes that identify a span within its trace; not all of them are zero.
    public struct SpanID {
        /// The bytes as a number, the first byte in its upper bits.
        public let value: UInt64

        /// Makes an ID, or returns nil for zero.
        public init?(_ value: UInt64) {
            guard value != 0 else { return nil }
            self.value = value
        }

        /// Reads an ID of 16 hexadecimal digits in lower case; nil for anything else, and for zeros only.
        public init?(_ text: String) { self.init(digits: Array(text.utf8)[...]) }

        init?(digits: ArraySlice<UInt8>) {
            guard digits.count == 16, let value = HexDigits.value(of: digits) else { return nil }
            self.init(value)
        }

        /// Makes a random ID of one number.
        init(random: RandomSource) {
            let value = random.next()
            self.value = value == 0 ? 1 : value
        }
    }
}

extension TraceContext.SpanID: CustomStringConvertible {
    /// 16 hexadecimal digits in lower case.
    public var description: String { HexDigits.text(value) }
}

extension TraceContext.SpanID: Hashable, Sendable {}
