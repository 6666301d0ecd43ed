import PledgeFutures
import PledgeServices
import PledgeSimulation

/// A service with its data in ten shards, some of which fail, and clients that call all shards equally.
///
/// (Brooker, "Will circuit breakers solve my problems?", 2022.)
struct ShardedService {
    static let shards = 10

    /// The number of shards that fail all their calls.
    var failingShards = 0
    /// The share of calls that the other shards fail.
    var failureRate = 0.0
    var clients = 200
    /// Calls per second, of all clients together.
    var rate = 200.0
    /// The time in seconds.
    ///
    /// Only calls in the second half are counted.
    var duration = 600

    /// The findings about the calls in the second half.
    struct Outcome {
        /// The share of calls to working shards that succeeded.
        var goodput: Double
        /// The calls that failing shards got, per call made to them.
        var load: Double
        /// The share of all calls that a policy refused.
        var refused: Double
    }

    private struct Counts {
        var (toWorking, succeeded, toFailing, sentToFailing, refused) = (0, 0, 0, 0, 0)
    }

    func outcome(of rule: BreakerRule, _ settings: ScenarioSettings) -> Outcome {
        let scenario = Scenario(
            hosts: (0..<Self.shards).map(shard), arrivals: .poisson(rate: rate),
            duration: .seconds(duration))
        let counts = Locked(Counts())
        _ = settings.run(scenario) { world in
            let makePart = rule.make(world)
            let stacks = (0..<clients).map { _ in
                stack(makePart(), over: { self.send($0, in: world, counts) })
            }
            return { self.call($0, by: stacks[$0.number % clients], in: world, counts) }
        }
        let found = counts.withLock { $0 }
        return Outcome(
            goodput: Double(found.succeeded) / Double(max(found.toWorking, 1)),
            load: Double(found.sentToFailing) / Double(max(found.toFailing, 1)),
            refused: Double(found.refused) / Double(max(found.toWorking + found.toFailing, 1)))
    }

    private func shard(_ number: Int) -> HostSettings {
        var host = HostSettings(serviceTime: .exponential(mean: .milliseconds(10)))
        host.workers = .max
        host.failureRate = number < failingShards ? 1 : failureRate
        return host
    }

    /// Makes a call to a random shard, and counts how it ends.
    private func call(
        _ request: SimulatedRequest,
        by client: Service<SimulatedRequest, SimulatedResponse>, in world: SimulatedWorld,
        _ counts: Locked<Counts>
    ) -> Future<SimulatedResponse> {
        let shard = Int(world.random.next() % UInt64(Self.shards))
        let future = client(SimulatedRequest(number: request.number, host: shard))
        guard isCounted(in: world) else { return future }
        let works = shard >= failingShards
        counts.withLock { if works { $0.toWorking += 1 } else { $0.toFailing += 1 } }
        future.observe { result in
            counts.withLock { counts in
                if works, case .success = result { counts.succeeded += 1 }
                if case .failure(let error) = result, error is ServiceError { counts.refused += 1 }
            }
        }
        return future
    }

    private func send(
        _ request: SimulatedRequest, in world: SimulatedWorld, _ counts: Locked<Counts>
    ) -> Future<SimulatedResponse> {
        if isCounted(in: world), request.host ?? 0 < failingShards {
            counts.withLock { $0.sentToFailing += 1 }
        }
        return world.fleet.send(request)
    }

    private func isCounted(in world: SimulatedWorld) -> Bool {
        world.scheduler.now.offset >= .seconds(duration) / 2
    }
}
