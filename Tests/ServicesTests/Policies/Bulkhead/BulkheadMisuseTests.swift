import PledgeServices
import TestSupport
import Testing

#if os(macOS) || os(Linux)
@Suite(.oneAtATime) struct BulkheadMisuseTests {
    @Test func noPlaceTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Bulkhead(limit: 0) }
        expectTrap("a bulkhead needs a limit of at least 1, not 0", in: result)
    }

    @Test func aNegativeQueueTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Bulkhead(queue: -1) }
        expectTrap("a bulkhead needs a queue of zero or more, not -1", in: result)
    }

    @Test func aNegativeTimeoutTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Bulkhead(queue: 1, queueTimeout: .seconds(-1)) }
        expectTrap("a bulkhead needs a queueTimeout of zero or more, not -1.0 seconds", in: result)
    }
}
#endif
