extension TraceContext {
    /// Reads the values of the headers `traceparent` and `tracestate`.
    ///
    /// A later version is read as the specification requires: only the fields that it shares with version 00,
    /// and of its flags only the sampled one. White space around a value is ignored. It takes time in
    /// proportion to the length of the values.
    ///
    /// - Parameters:
    ///   - traceparent: The value of that header. A request with several of them has no valid one.
    ///   - tracestate: The values of that header, in the order of its lines. An invalid one is discarded as a
    ///     whole; see ``TraceState/init(_:)-([String])``.
    /// - Returns: Nil if `traceparent` is invalid: it has another form, the version ff, an ID of zeros only,
    ///   or upper-case digits. A new trace is then begun, and `tracestate` is not read.
    public init?(traceparent: String, tracestate: [String] = []) {
        guard let parent = Self(parent: Array(traceparent.utf8).withoutOuterSpace) else {
            return nil
        }
        self = parent
        state = TraceState(tracestate) ?? TraceState()
    }

    /// Reads the values of the headers `traceparent` and `tracestate`, the latter of one line.
    ///
    /// - Returns: Nil if `traceparent` is invalid; see ``init(traceparent:tracestate:)-(_,[String])``.
    public init?(traceparent: String, tracestate: String) {
        self.init(traceparent: traceparent, tracestate: [tracestate])
    }

    /// The value of the header `traceparent`, always of version 00.
    public var traceparent: String {
        let flags: UInt64 = (isSampled ? Flag.sampled : 0) | (isRandom ? Flag.random : 0)
        return "00-\(traceID)-\(spanID)-\(HexDigits.text(flags, count: 2))"
    }

    /// The value of the header `tracestate`; nil without members; it is then not sent.
    public var tracestate: String? { state.members.isEmpty ? nil : state.description }

    private enum Flag {
        static let sampled: UInt64 = 1
        static let random: UInt64 = 2
    }

    private static let dash = UInt8(ascii: "-")

    /// The number of bytes of version 00, and the offsets of its dashes.
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
