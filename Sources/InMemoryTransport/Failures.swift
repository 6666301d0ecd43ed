import PledgeFutures
public import PledgeHTTPMessages
import PledgeServices

extension MemoryTransport {
    /// Random failures of calls: their probability, generator and error.
    ///
    /// ```swift
    /// MemoryTransport(
    ///     routes: routes, failures: .init(chance: 0.2, using: SeededGenerator(seed: 7)))
    /// ```
    ///
    /// The transport draws one number for each call that matches a route, in the order of the calls. So with the same
    /// seed, the same calls fail. A failing call takes no answer from a sequence, as if the call had never arrived. The
    /// call fails after the latency. Each transport draws from its own copy of the generator.
    public struct Failures: Sendable {
        private let chance: Double
        private var generator: any RandomNumberGenerator & Sendable
        let error: @Sendable (Call) -> any Error

        /// Creates random failures.
        ///
        /// - Parameters:
        ///   - chance: The probability that a call fails, from 0 to 1. Other values are clamped, and NaN counts as 0.
        ///   - generator: The random number generator.
        ///   - error: Creates the error of a failing call. By default, an `HTTPError` with the code `connectionLost`.
        public init(
            chance: Double,
            using generator: some RandomNumberGenerator & Sendable,
            error: @escaping @Sendable (Call) -> any Error = { call in
                HTTPError(
                    code: .connectionLost, endpoint: call.endpoint, request: call.request)
            }
        ) {
            self.chance = chance
            self.generator = generator
            self.error = error
        }

        /// No failures.
        public static let none = Failures(chance: 0, using: SeededGenerator(seed: 0))

        /// Draws the next number; returns whether the call fails.
        mutating func failsNext() -> Bool {
            var generator = generator
            defer { self.generator = generator }
            return Double(generator.next() >> 11) * 0x1p-53 < chance
        }
    }
}
