public import PledgeFutures

/// A call's place in a distributed trace: the trace and the span within it, by W3C Trace Context.
///
/// ```swift
/// let trace = TraceContext.newTrace()
/// CallContext.current.with(traceContext: trace).run { loadProduct(7) }
/// ```
///
/// A server reads its caller's context with ``init(traceparent:tracestate:)``. A client sends its own as
/// ``traceparent`` and ``tracestate``. The type follows the Recommendation (level 1). It also keeps level 2's random
/// flag, and accepts level 2's keys, which include level 1's.
public struct TraceContext: Hashable, Sendable {
    /// The ID of the trace, shared by all calls that serve one request: 32 hexadecimal digits.
    public var traceID: String { trace.description }

    /// The ID of the span that sends a request, the specification's `parent-id`: 16 hexadecimal digits.
    public var spanID: String { span.description }

    package var trace: TraceID

    package var span: SpanID

    /// True if the sender may have recorded the span.
    ///
    /// If so, receivers should record their own spans.
    public var isSampled: Bool

    /// True if the lower 7 bytes of the trace ID are random (level 2's flag, kept as received).
    package var isRandom: Bool

    /// The entries of tracing systems, from the header `tracestate`.
    package var state: TraceState

    init(
        trace: TraceID, span: SpanID, isSampled: Bool, isRandom: Bool = false,
        state: TraceState = TraceState()
    ) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
        self.isRandom = isRandom
        self.state = state
    }

    /// Begins a trace, with a new trace ID, a new span ID, and no state.
    ///
    /// The random flag isn't set, because level 1 asks for a zero in its place.
    ///
    /// - Parameters:
    ///   - isSampled: Whether receivers should record their spans.
    ///   - random: The source of the IDs. Three numbers are drawn from it.
    public static func newTrace(
        isSampled: Bool = true, random: RandomSource = .system
    ) -> TraceContext {
        TraceContext(
            trace: TraceID(random: random), span: SpanID(random: random), isSampled: isSampled)
    }

    /// Returns the context of a new span within this one.
    ///
    /// It has the same trace, flags and state, and another span ID.
    ///
    /// - Parameter random: The source of the span ID. One number is drawn from it.
    public func child(random: RandomSource = .system) -> TraceContext {
        var child = self
        child.span = SpanID(random: random)
        return child
    }

    /// Returns this context with a tracing system's entry in ``tracestate``, as the first entry.
    ///
    /// The new entry replaces the system's former one. If the list gets too long, entries are removed.
    ///
    /// - Parameters:
    ///   - value: The entry's text: up to 256 printable ASCII characters without `,` and `=`.
    ///   - key: The tracing system: up to 256 lower-case letters, digits and `_-*/@`.
    /// - Returns: Nil if the key or the value is invalid.
    public func with(state value: String, for key: String) -> TraceContext? {
        guard let state = state.setting(value, for: key) else { return nil }
        var context = self
        context.state = state
        return context
    }
}

extension TraceContext: CustomStringConvertible {
    /// The same text as ``traceparent``.
    public var description: String { traceparent }
}

extension TraceContext {
    /// Reads the values of the headers `traceparent` and `tracestate`.
    ///
    /// For a later version, this reads only what the specification requires: the fields that version 00 also has, and
    /// the sampled flag. It ignores white space around a value. The time is proportional to the length of the values.
    ///
    /// - Parameters:
    ///   - traceparent: The header's value. A request with several such headers has no valid one.
    ///   - tracestate: The header's values, in the order of its lines. Together they are one list of at most 32 entries.
    ///     If one is invalid, all are discarded. A list of more than 512 characters is cut as the specification
    ///     requires.
    /// - Returns: Nil if `traceparent` is invalid: it has another form, the version ff, an ID of zeros only, or
    ///   upper-case digits. Then `tracestate` isn't read, and you should begin a new trace.
    public init?(traceparent: String, tracestate: [String] = []) {
        guard let parent = Self(parent: Array(traceparent.utf8).withoutOuterSpace) else {
            return nil
        }
        self = parent
        state = TraceState(tracestate) ?? TraceState()
    }

    /// The value of the header `traceparent`, always of version 00.
    public var traceparent: String {
        let flags: UInt64 = (isSampled ? Flag.sampled : 0) | (isRandom ? Flag.random : 0)
        return "00-\(trace)-\(span)-\(HexDigits.text(flags, count: 2))"
    }

    /// The value of the header `tracestate`, or nil without members.
    ///
    /// If it is nil, don't send the header.
    public var tracestate: String? { state.members.isEmpty ? nil : state.description }

    private enum Flag {
        static let sampled: UInt64 = 1
        static let random: UInt64 = 2
    }

    private static let dash = UInt8(ascii: "-")

    /// The length of version 00 in bytes, and the offsets of its dashes.
    private static let length = 55
    private static let dashes = [2, 35, 52]

    private init?(parent bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= Self.length, Self.dashes.allSatisfy({ bytes[$0] == Self.dash }),
            let version = HexDigits.value(of: bytes[..<2]), version != 0xFF,
            let trace = TraceID(digits: bytes[3..<35]),
            let span = SpanID(digits: bytes[36..<52]),
            let flags = HexDigits.value(of: bytes[53..<Self.length])
        else { return nil }
        if bytes.count > Self.length, version == 0 || bytes[Self.length] != Self.dash { return nil }
        self.init(
            trace: trace, span: span, isSampled: flags & Flag.sampled != 0,
            isRandom: version == 0 && flags & Flag.random != 0)
    }
}

extension TraceContext {
    /// The 16 bytes that identify a trace, at least one of them not zero.
    package struct TraceID: Hashable, Sendable {
        /// The first 8 bytes.
        package let high: UInt64

        /// The last 8 bytes.
        package let low: UInt64

        /// Creates an ID, or returns nil if all bytes are zero.
        package init?(high: UInt64, low: UInt64) {
            guard high != 0 || low != 0 else { return nil }
            self.high = high
            self.low = low
        }

        /// Reads an ID of 32 hexadecimal digits in lower case.
        ///
        /// - Returns: Nil for any other text, and for an ID of zeros only.
        package init?(_ text: String) { self.init(digits: Array(text.utf8)[...]) }

        init?(digits: ArraySlice<UInt8>) {
            guard digits.count == 32, let high = HexDigits.value(of: digits.prefix(16)),
                let low = HexDigits.value(of: digits.suffix(16))
            else { return nil }
            self.init(high: high, low: low)
        }

        /// Creates a random ID from two numbers.
        init(random: RandomSource) {
            high = random.nextOfID()
            let low = random.nextOfID()
            self.low = high == 0 && low == 0 ? 1 : low
        }
    }
}

extension TraceContext.TraceID: CustomStringConvertible {
    /// The ID as 32 hexadecimal digits in lower case.
    package var description: String { HexDigits.text(high) + HexDigits.text(low) }
}

extension TraceContext {
    /// The 8 bytes that identify a span within its trace, at least one of them not zero.
    package struct SpanID: Hashable, Sendable {
        /// The bytes as a number, with the first byte in its upper bits.
        package let value: UInt64

        /// Creates an ID, or returns nil for zero.
        package init?(_ value: UInt64) {
            guard value != 0 else { return nil }
            self.value = value
        }

        /// Reads an ID of 16 hexadecimal digits in lower case.
        ///
        /// - Returns: Nil for any other text, and for an ID of zeros only.
        package init?(_ text: String) { self.init(digits: Array(text.utf8)[...]) }

        init?(digits: ArraySlice<UInt8>) {
            guard digits.count == 16, let value = HexDigits.value(of: digits) else { return nil }
            self.init(value)
        }

        /// Creates a random ID from one number.
        init(random: RandomSource) {
            let value = random.nextOfID()
            self.value = value == 0 ? 1 : value
        }
    }
}

extension TraceContext.SpanID: CustomStringConvertible {
    /// The ID as 16 hexadecimal digits in lower case.
    package var description: String { HexDigits.text(value) }
}

extension TraceContext {
    /// The entries of tracing systems about a trace: the members of a header `tracestate`.
    ///
    /// The newest comes first. A state has at most 32 members, and 512 characters in all. Each key occurs once. A
    /// longer state is cut as the specification requires: whole members are removed, first the ones with more than
    /// 128 characters, then members at the end.
    package struct TraceState: Hashable, Sendable {
        /// The entry of one tracing system.
        package struct Member: Hashable, Sendable {
            /// The tracing system.
            ///
            /// It has up to 256 characters: letters in lower case, digits, and `_`, `-`, `*`, `/` and `@`. The first
            /// is a letter or a digit.
            package let key: String

            /// The entry's text.
            ///
            /// It has up to 256 printable ASCII characters without `,` and `=`. The last one isn't a space.
            package let value: String
        }

        /// The members, the newest first.
        package private(set) var members: [Member] = []

        /// Creates a state without members.
        package init() {}

        /// Reads the values of the header `tracestate`.
        ///
        /// Empty members are skipped. If several members have the same key, the first is kept, because it is the
        /// newest.
        ///
        /// - Parameter lines: The header's values, in the order of its lines. Together they are one list.
        /// - Returns: Nil if a key or a value is invalid, or if there are more than 32 members.
        package init?(_ lines: [String]) {
            for line in lines {
                for part in Array(line.utf8).split(separator: UInt8(ascii: ",")) {
                    let part = part.withoutOuterSpace
                    if part.isEmpty { continue }
                    guard let member = Member(part), members.count < Self.memberLimit else {
                        return nil
                    }
                    members.append(member)
                }
            }
            var keys: Set<String> = []
            members = members.filter { keys.insert($0.key).inserted }
            cut()
        }

        /// The value of a key, or nil if the key doesn't occur.
        package subscript(key: String) -> String? { members.first { $0.key == key }?.value }

        /// Returns this state with a value for a key, as the first member.
        ///
        /// The new member replaces the key's former member. If the state gets too long, members are removed.
        ///
        /// - Returns: Nil if the key or the value is invalid.
        package func setting(_ value: String, for key: String) -> TraceState? {
            guard Member.isKey(key.utf8), Member.isValue(value.utf8) else { return nil }
            var state = self
            state.members.removeAll { $0.key == key }
            state.members.insert(Member(key: key, value: value), at: 0)
            state.members = Array(state.members.prefix(Self.memberLimit))
            state.cut()
            return state
        }

        private static let memberLimit = 32
        private static let lengthLimit = 512
        private static let longMember = 128

        /// Removes whole members until the rest is short enough.
        private mutating func cut() {
            // Each member counts with the comma after it. The last member has no comma.
            var length = members.reduce(-1) { $0 + $1.length + 1 }
            while length > Self.lengthLimit, let last = members.indices.last {
                let long = members.lastIndex { $0.length > Self.longMember }
                length -= members.remove(at: long ?? last).length + 1
            }
        }
    }
}

extension TraceContext.TraceState.Member {
    /// Reads a key and a value with an equals sign between them, and no white space around them.
    fileprivate init?(_ bytes: ArraySlice<UInt8>) {
        guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let (key, value) = (bytes[..<sign], bytes[(sign + 1)...])
        guard Self.isKey(key), Self.isValue(value) else { return nil }
        self.init(
            key: String(decoding: key, as: UTF8.self), value: String(decoding: value, as: UTF8.self)
        )
    }

    /// The number of characters that the member takes in the header.
    fileprivate var length: Int { key.utf8.count + 1 + value.utf8.count }

    fileprivate static func isKey(_ bytes: some Collection<UInt8>) -> Bool {
        guard let first = bytes.first, bytes.count <= 256 else { return false }
        return isLetterOrDigit(first)
            && bytes.allSatisfy { isLetterOrDigit($0) || "_-*/@".utf8.contains($0) }
    }

    fileprivate static func isValue(_ bytes: some Collection<UInt8>) -> Bool {
        (1...256).contains(bytes.count) && Array(bytes).last != UInt8(ascii: " ")
            && bytes.allSatisfy {
                (0x20...0x7E).contains($0) && $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "=")
            }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}

extension TraceContext.TraceState: CustomStringConvertible {
    /// The value of the header: the members with commas between them, without white space.
    package var description: String {
        members.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }
}

/// Hexadecimal digits in lower case.
package enum HexDigits {
    /// Returns the number that the digits represent, or nil if one of them isn't valid.
    ///
    /// - Parameter digits: At most 16 digits.
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

    /// Returns the digits of a number, padded with zeros to a count.
    package static func text(_ value: UInt64, count: Int = 16) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without the spaces and tabs at both ends.
    var withoutOuterSpace: SubSequence {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = firstIndex(where: { !isSpace($0) }),
            let last = lastIndex(where: { !isSpace($0) })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
