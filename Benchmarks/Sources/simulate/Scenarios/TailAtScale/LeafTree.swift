import PledgeFutures
import PledgeServices
import PledgeSimulation

/// A tree of a root, 16 servers below it, and 100 leaves below each server.
///
/// A request waits for all of them.
///
/// The figures are from Dean and Barroso, "The Tail at Scale", 2013, table 1. The paper gives times, but not the number
/// of servers.
struct LeafTree {
    private static let middles = 16
    private static let leavesOfEach = 100
    private static let leaves = middles * leavesOfEach

    /// The time that a leaf takes: half of them up to 1 ms, 95 % up to 5 ms, 99 % up to 10 ms.
    ///
    /// The tail is chosen so that the slowest of 1,600 leaves takes 40 ms in half of the requests, 87 ms in one of
    /// twenty, and 140 ms in one of a hundred.
    private static let leafTime = Distribution.histogram([
        (.milliseconds(1), 500_000), (.milliseconds(5), 454_000), (.milliseconds(10), 41_500),
        (.milliseconds(40), 4_090), (.milliseconds(87), 380), (.milliseconds(140), 24),
        (.milliseconds(300), 6),
    ])

    /// The time that a middle server takes before its leaves begin.
    ///
    /// Usually it is none. In one request of twenty, one of the servers takes 32 ms, and in one of a hundred, 70 ms.
    private static let sharedDelay = Distribution.histogram([
        (.microseconds(10), 9_945), (.milliseconds(32), 23), (.milliseconds(70), 26),
        (.milliseconds(100), 6),
    ])

    /// True if the middle servers have delays, which all of their leaves share.
    let hasSharedDelays: Bool
    /// The number of requests.
    let requests: Int

    /// Returns the times at which parts of the requests had finished, in seconds.
    func times(_ settings: ScenarioSettings) -> FinishTimes {
        var leaf = HostSettings(serviceTime: Self.leafTime)
        leaf.workers = .max
        var middle = leaf
        middle.serviceTime = hasSharedDelays ? Self.sharedDelay : .constant(.zero)
        let scenario = Scenario(
            hosts: Array(repeating: middle, count: Self.middles)
                + Array(repeating: leaf, count: Self.leaves),
            arrivals: .even(rate: 1), duration: .milliseconds(1_000 * requests + 500))
        let tally = FinishTally(of: Self.leaves)
        _ = settings.run(scenario) { world in
            { request in
                tally.begin(at: world.scheduler.now)
                let parts = (0..<Self.middles).map { middle in
                    world.fleet.send(SimulatedRequest(number: request.number, host: middle))
                        .flatMap { _ in Self.callLeaves(of: middle, in: world, tally) }
                }
                return Future.all(parts)
            }
        }
        return tally.times
    }

    /// The measured parts of a request.
    static let parts = ["one leaf", "95 % of the leaves", "all leaves"]
    /// The paper's median, 95th and 99th percentile of each part, in seconds.
    static let published = [
        [0.001, 0.005, 0.010], [0.012, 0.032, 0.070], [0.040, 0.087, 0.140],
    ]

    /// Returns the median, 95th and 99th percentile of each part in a run, in seconds.
    func figures(_ settings: ScenarioSettings) -> [[Double]] {
        let times = times(settings)
        return [times.oneLeaf, times.mostLeaves, times.allLeaves].map { times in
            [50, 95, 99].map { FinishTimes.percentile($0, of: times) ?? 0 }
        }
    }

    private static func callLeaves(
        of middle: Int, in world: SimulatedWorld, _ tally: FinishTally
    ) -> Future<[SimulatedResponse]> {
        let first = middles + middle * leavesOfEach
        return Future.all(
            (first..<first + leavesOfEach).map { host in
                world.fleet.send(SimulatedRequest(number: 0, host: host)).onSuccess { _ in
                    tally.end(host - middles, at: world.scheduler.now)
                }
            })
    }
}
