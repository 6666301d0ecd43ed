import PledgeServices
import TestSupport
import Testing

#if os(macOS) || os(Linux)
@Suite(.oneAtATime) struct AdaptiveConcurrencyMisuseTests {
    @Test func aNegativeQueueTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = AdaptiveConcurrency(queue: -1) }
        expectTrap("an adaptive limit needs a queue of zero or more, not -1", in: result)
    }

    @Test func aNegativeTimeoutTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = AdaptiveConcurrency(queue: 1, queueTimeout: .seconds(-1)) }
        expectTrap(
            "an adaptive limit needs a queueTimeout of zero or more, not -1.0 seconds", in: result)
    }

    @Test func noPlaceTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ConcurrencyLimitAlgorithm.vegas(minimum: 0) }
        expectTrap("a concurrency limit needs a minimum of at least 1, not 0", in: result)
    }

    @Test func aMaximumBelowTheMinimumTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ConcurrencyLimitAlgorithm.gradient(minimum: 3, maximum: 2) }
        expectTrap(
            "a concurrency limit needs a maximum from its minimum to 1000000, not 2", in: result)
    }

    @Test func anInitialLimitOutsideItsBoundsTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ConcurrencyLimitAlgorithm.correlation(initial: 201) }
        expectTrap("a concurrency limit needs an initial limit in 1...200, not 201", in: result)
    }

    @Test func aDropThatDoesNotShrinkTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ConcurrencyLimitAlgorithm.aimd(decrease: 1) }
        expectTrap("a decrease is above 0 and below 1, not 1.0", in: result)
    }

    @Test func noTimeBetweenMeasurementsTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ConcurrencyLimitAlgorithm.gradient(measurementInterval: .zero) }
        expectTrap("a measurementInterval is more than zero, not 0.0 seconds", in: result)
    }
}
#endif
