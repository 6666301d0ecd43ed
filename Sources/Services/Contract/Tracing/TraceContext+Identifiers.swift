extension TraceContext {
    /// The 16 bytes that name a trace; not all of them are zero.
    public struct TraceID {
        /// The first 8 bytes.
        public let high: UInt64

        /// The last 8 bytes.
        public let low: UInt64

        /// Makes an ID, or returns nil where all bytes are zero.
        public init?(high: UInt64, low: UInt64) {
            guard high != 0 || low != 0 else { return nil }
            self.high = high
            self.low = low
        }

        /// Reads an ID of 32 hexadecimal digits in lower case; nil for anything else, and for zeros alone.
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

    /// The 8 bytes that name a span within its trace; not all of them are zero.
    public struct SpanID {
        /// The bytes as a number, the first byte in its upper bits.
        public let value: UInt64

        /// Makes an ID, or returns nil for zero.
        public init?(_ value: UInt64) {
            guard value != 0 else { return nil }
            self.value = value
        }

        /// Reads an ID of 16 hexadecimal digits in lower case; nil for anything else, and for zeros alone.
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

extension TraceContext.TraceID: CustomStringConvertible {
    /// 32 hexadecimal digits in lower case.
    public var description: String {
        var text: [UInt8] = []
        HexDigits.append(high, to: &text)
        HexDigits.append(low, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

extension TraceContext.SpanID: CustomStringConvertible {
    /// 16 hexadecimal digits in lower case.
    public var description: String {
        var text: [UInt8] = []
        HexDigits.append(value, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

extension TraceContext.TraceID: Hashable, Sendable {}

extension TraceContext.SpanID: Hashable, Sendable {}
