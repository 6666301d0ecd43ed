import Futures
public import HTTPNetworking
import Services

extension MemoryTransport {
    /// Calls that fail by chance: how often, by which generator, and with what.
    ///
    /// ```swift
    /// MemoryTransport(
    ///     routes: routes, failures: .init(chance: 0.2, using: SeededGenerator(seed: 7)))
    /// ```
    ///
    /// One number is drawn for each call that a route matches, in the order of the calls, so that a
    /// seed always fails the same ones. A call that fails takes no answer from a sequence, as if it had
    /// never arrived; it fails when its latency is over. Each transport draws from its own copy of the generator.
    public struct Failures: Sendable {
        private let chance: Double
        private var generator: any RandomNumberGenerator & Sendable
        let error: @Sendable (Call) -> any Error

        /// Makes failures.
        ///
        /// - Parameters:
        ///   - chance: How likely a call fails, from 0 (none does) to 1 (each does). What lies
        ///     beyond is taken for the nearer of the two, and what is no number for 0.
        ///   - generator: Where chance comes from.
        ///   - error: What a call rejects with; by default an `HTTPError` with the code
        ///     `connectionLost`.
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

        /// Draws whether the next call fails.
        mutating func failsNext() -> Bool {
            var generator = generator
            defer { self.generator = generator }
            return Double(generator.next() >> 11) * 0x1p-53 < chance
        }
    }
}
