import PledgeServices
import TestSupport
import Testing

#if os(macOS) || os(Linux)
@Suite(.oneAtATime) struct LoadShedderMisuseTests {
    @Test func noPlaceTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = LoadShedder(limit: 0) }
        expectTrap("a load shedder needs a limit of at least 1, not 0", in: result)
    }

    @Test func aQueueBelowZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = LoadShedder(queue: -1) }
        expectTrap("a load shedder needs a queue of zero or more, not -1", in: result)
    }

    @Test func noTargetTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = LoadShedder(target: .zero) }
        expectTrap("a load shedder needs a target of more than zero, not 0.0", in: result)
    }

    @Test func anIntervalBelowTheTargetTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = LoadShedder(target: .seconds(2), interval: .seconds(1)) }
        expectTrap("a load shedder needs an interval of at least the target, not 1.0", in: result)
    }
}
#endif
