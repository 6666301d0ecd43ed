import Pledge
import Testing

@testable import validate_simulation

@Suite(.timeLimit(.minutes(10))) struct SocketWorldTests {
    /// Of three calls at once, one is worked on, one waits, and one is refused: in both worlds.
    @Test func bothWorldsServeQueueAndRefuse() {
        let load = ServerLoad(
            name: "three calls", workers: 1, queueLimit: 1, serviceTimes: .uniform(0.5, 0.5),
            utilisation: 1, duration: 1
        ) { $0.retry = nil }
        let arrivals = ArrivalTimes(seconds: [0, 0, 0])
        var outcomes = load.simulate(arrivals, latency: 0)
        outcomes.append(SocketWorld(seed: 1).measure(load, arrivals).outcome)
        for outcome in outcomes {
            #expect(outcome.median >= 0.5 && outcome.tail >= 1)
            #expect(outcome.goodput == 2 / 3.0 && outcome.amplification == 1)
        }
    }
}
