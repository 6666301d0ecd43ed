import PledgeFutures

extension Middleware {
    /// Begins a distributed trace for each call that belongs to none.
    ///
    /// ```swift
    /// let service = stack(.newTrace(), .retry(), .tracePropagation(), over: transport.send)
    /// ```
    ///
    /// Put it outermost, beneath `.observed` only: all attempts of a call are then in one trace. A call whose
    /// ``CallContext/traceContext`` is set, by a server or by a call that it is part of, stays in that trace.
    /// Nothing is sent here; over HTTP, `.tracePropagation` does that. The observers of the call are notified
    /// of the trace by ``PolicyEvent/Kind/traced(_:parent:)``.
    ///
    /// - Parameters:
    ///   - share: The share of the new traces that is sampled, from 0 to 1; by default all, as with
    ///     OpenTelemetry's default sampler. Another value is a programming error and traps.
    ///   - random: The source of the IDs and of the choice, which draws four numbers for each new trace.
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
