/// A call's place in a distributed trace, by W3C Trace Context: the trace, and the span within it.
///
/// ```swift
/// let trace = TraceContext.newTrace()
/// CallContext.current.with(traceContext: trace).run { loadProduct(7) }
/// ```
///
/// A server reads its caller's context by ``init(traceparent:tracestate:)-(_,[String])``; a client sends its
/// own as ``traceparent`` and ``tracestate``. The type follows the Recommendation (level 1), keeps the random
/// flag of level 2, and accepts the keys of level 2, which include those of level 1.
public struct TraceContext {
    /// The trace, which all calls on behalf of one request have in common.
    public var traceID: TraceID

    /// The span that sends a request; the specification's `parent-id`.
    public var spanID: SpanID

    /// Whether the sender may have recorded the span; receivers should then record theirs.
    public var isSampled: Bool

    /// Whether the lower 7 bytes of the trace ID are random: the flag of level 2, kept as received.
    public var isRandom: Bool

    /// The entries of tracing systems, each with its key; the header `tracestate`.
    public var state: TraceState

    /// Makes a context from its parts.
    ///
    /// - Parameters:
    ///   - traceID: The trace.
    ///   - spanID: The span that sends.
    ///   - isSampled: Whether the span may be recorded.
    ///   - isRandom: Whether the lower 7 bytes of the trace ID are known to be random.
    ///   - state: The entries of tracing systems.
    public init(
        traceID: TraceID, spanID: SpanID, isSampled: Bool, isRandom: Bool = false,
        state: TraceState = TraceState()
    ) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        self.isRandom = isRandom
        self.state = state
    }

    /// Begins a trace: a new trace ID, a new span ID, and no state.
    ///
    /// The random flag is not set: level 1 asks for a zero there.
    ///
    /// - Parameters:
    ///   - isSampled: Whether receivers should record their spans.
    ///   - random: The source of the IDs, which draws three numbers.
    public static func newTrace(
        isSampled: Bool = true, random: RandomSource = .system
    ) -> TraceContext {
        TraceContext(
            traceID: TraceID(random: random), spanID: SpanID(random: random), isSampled: isSampled)
    }

    /// The context of a new span within this one: the same trace, flags and state, and another span ID.
    ///
    /// - Parameter random: The source of the span ID, which draws one number.
    public func child(random: RandomSource = .system) -> TraceContext {
        var child = self
        child.spanID = SpanID(random: random)
        return child
    }
}

extension TraceContext: CustomStringConvertible {
    /// The same as ``traceparent``.
    public var description: String { traceparent }
}

extension TraceContext: Hashable, Sendable {}
