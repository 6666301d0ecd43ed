public import PledgeFutures

extension Middleware {
    /// Starts a distributed trace for each call that isn't part of one.
    ///
    /// ```swift
    /// let service = stack(.newTrace(), .retry(), .tracePropagation(), over: transport.send)
    /// ```
    ///
    /// Put it outermost, or directly below an outermost `.observed`, so that all attempts of a call are in one trace.
    /// If a server or an enclosing call has already set ``CallContext/traceContext``, the call stays in that trace.
    /// This middleware doesn't send the trace context; over HTTP, `.tracePropagation` does. The call's observers learn
    /// about the trace from ``PolicyEvent/Kind/traced(_:parent:)``.
    ///
    /// - Parameters:
    ///   - share: The share of new traces that is sampled; 0…1. All by default, like OpenTelemetry's default sampler. A
    ///     value out of range is a programming error and traps.
    ///   - random: The source of the IDs and of the sampling. Four numbers are drawn for each new trace.
    public static func newTrace(
        samplingShare share: Double = 1, random: RandomSource = .system
    ) -> Middleware {
        precondition((0...1).contains(share), "newTrace samples a share of 0…1, not \(share)")
        return Middleware(named: "newTrace") { service in
            { input in
                let context = CallContext.current
                if context.traceContext != nil { return service(input) }
                let isSampled = random.happens(withProbability: share)
                let trace = TraceContext.newTrace(isSampled: isSampled, random: random)
                context.report(.traced(trace, parent: nil), by: "newTrace")
                return context.with(traceContext: trace).call(service, input)
            }
        }
    }
}
