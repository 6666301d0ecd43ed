extension TraceContext {
    /// Reads the values of the headers `traceparent` and `tracestate`.
    ///
    /// A version that is not known yet is read as the specification asks: by the fields that it has in common with
    /// version 00, whatever follows them, and of its flags by the sampled one alone. White space around a value is
    /// ignored. It takes time in proportion to the length of the values.
    ///
    /// - Parameters:
    ///   - traceparent: The value of that header. A request that has several has no valid one.
    ///   - tracestate: The values of that header, in the order of its lines. An invalid one is dropped as a whole;
    ///     see ``TraceState/init(_:)-([String])``.
    /// - Returns: Nil where `traceparent` is invalid: it has another form, the version ff, an ID of zeros
    ///   alone, or digits in upper case. A trace is then begun anew, and `tracestate` is not read.
    public init?(traceparent: String, tracestate: [String] = []) {
        guard let parent = Self(parent: Array(traceparent.utf8).withoutOuterSpace) else {
            return nil
        }
        self = parent
        state = TraceState(tracestate) ?? TraceState()
    }

    /// Reads the values of the headers `traceparent` and `tracestate`, the latter of one line.
    ///
    /// - Returns: Nil where `traceparent` is invalid; see ``init(traceparent:tracestate:)-(_,[String])``.
    public init?(traceparent: String, tracestate: String) {
        self.init(traceparent: traceparent, tracestate: [tracestate])
    }

    /// The value of the header `traceparent`, always of version 00.
    public var traceparent: String {
        let flags: UInt64 = (isSampled ? Flag.sampled : 0) | (isRandom ? Flag.random : 0)
        return "00-\(traceID)-\(spanID)-\(HexDigits.text(flags, count: 2))"
    }

    /// The value of the header `tracestate`; nil where there is no member, and then it is not sent.
    public var tracestate: String? { state.members.isEmpty ? nil : state.description }

    private enum Flag {
        static let sampled: UInt64 = 1
        static let random: UInt64 = 2
    }

    private static let dash = UInt8(ascii: "-")

    /// How many bytes version 00 has, and at which of them its dashes are.
    private static let length = 55
    private static let dashes = [2, 35, 52]

    private init?(parent bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= Self.length, Self.dashes.allSatisfy({ bytes[$0] == Self.dash }),
            let version = HexDigits.value(of: bytes[..<2]), version != 0xFF,
            let traceID = TraceID(digits: bytes[3..<35]),
            let spanID = SpanID(digits: bytes[36..<52]),
            let flags = HexDigits.value(of: bytes[53..<Self.length])
        else { return nil }
        if bytes.count > Self.length, version == 0 || bytes[Self.length] != Self.dash { return nil }
        self.init(
            traceID: traceID, spanID: spanID, isSampled: flags & Flag.sampled != 0,
            isRandom: version == 0 && flags & Flag.random != 0)
    }
}
