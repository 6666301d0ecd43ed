/// A fault that ``Middleware/chaos(_:sharing:on:random:)`` injects, with its probability.
///
/// A probability lies in 0…1, from never to always; anything else is a programming error and traps.
public struct ChaosFault<Output: Sendable> {
    enum Kind: Sendable {
        case latency(from: Duration, span: Duration)
        case failure(any Error)
        case outcome(@Sendable (Result<Output, any Error>) throws -> Output)
    }

    let kind: Kind
    let probability: Double

    private init(_ kind: Kind, probability: Double) {
        precondition(
            (0...1).contains(probability),
            "chaos needs a probability in 0...1, not \(probability)")
        self.kind = kind
        self.probability = probability
    }
}

extension ChaosFault {
    /// Delays the call, for a time that is chosen evenly from a range.
    ///
    /// - Parameters:
    ///   - range: The shortest and the longest time, to the nanosecond. Less than zero is a
    ///     programming error and traps.
    ///   - probability: The probability of the fault.
    public static func latency(
        _ range: ClosedRange<Duration>, probability: Double
    ) -> ChaosFault {
        precondition(
            range.lowerBound >= .zero,
            "chaos needs a latency of zero or more, not \(range.lowerBound)")
        let span = range.upperBound - range.lowerBound
        return ChaosFault(.latency(from: range.lowerBound, span: span), probability: probability)
    }

    /// Delays the call, always for the same time.
    ///
    /// - Parameters:
    ///   - latency: The time. Less than zero is a programming error and traps.
    ///   - probability: The probability of the fault.
    public static func latency(_ latency: Duration, probability: Double) -> ChaosFault {
        .latency(latency...latency, probability: probability)
    }

    /// Fails the call without making it.
    ///
    /// - Parameters:
    ///   - error: The error. By the standard classifier the default is retryable.
    ///   - probability: The probability of the fault.
    public static func failure(
        _ error: any Error = ServiceError(.injected, policy: "chaos"), probability: Double
    ) -> ChaosFault {
        ChaosFault(.failure(error), probability: probability)
    }

    /// Makes the call, and alters its outcome.
    ///
    /// ```swift
    /// .outcome(probability: 0.01) { result in try result.get().prefix(10) }
    /// ```
    ///
    /// - Parameters:
    ///   - probability: The probability of the fault.
    ///   - alter: Called with the result, on the thread that settled the call; its value, or the error that
    ///     it throws, replaces the result. Not called if the caller has given up.
    public static func outcome(
        probability: Double,
        _ alter: @escaping @Sendable (Result<Output, any Error>) throws -> Output
    ) -> ChaosFault {
        ChaosFault(.outcome(alter), probability: probability)
    }
}

extension ChaosFault: Sendable {}
