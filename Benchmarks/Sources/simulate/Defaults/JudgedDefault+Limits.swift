import PledgeAdmission
import PledgeServices
import PledgeSimulation

extension JudgedDefault {
    static let hedgeLoad = JudgedDefault(
        "Hedge, extra load",
        standard: Value("0.01 (default)") {
            $0.hedge { .hedge(sharing: Hedge(budget: $1, on: $0.scheduler)) }
        },
        alternatives: [0.02, 0.05, 0.1].map { load in
            Value("\(load)") {
                $0.hedge {
                    .hedge(sharing: Hedge(maxExtraLoad: load, budget: $1, on: $0.scheduler))
                }
            }
        } + [
            Value("0.01, 3 attempts") {
                $0.hedge { .hedge(sharing: Hedge(attempts: 3, budget: $1, on: $0.scheduler)) }
            },
            Value("no hedge") { $0.hedge { _, _ in .passThrough } },
        ],
        [
            (.healthy, [.tail, .sent]), (.tail, [.tail, .sent]), (.oneSlow, [.goodput, .tail]),
            (.loss, [.tail]), (.errors(20), [.goodput, .sent]), (.overload, [.goodput, .sent]),
            (.outage(30), [.sent]), (.stall(load: 0.7), [.goodput]),
            (.healthy.over(clients: 10), [.sent]), (.healthy.over(clients: 100), [.sent]),
            (.tail.over(clients: 10), [.tail]), (.tail.over(clients: 100), [.tail]),
            (.tail.over(connections: 8), [.tail]), (.oneSlow.over(connections: 8), [.tail]),
        ])

    static let bulkhead = JudgedDefault(
        "Bulkhead of an origin, places and queue",
        standard: Value("256, 1000 (default)") {
            $0.bulkhead(
                Bulkhead(limit: 256, queue: 1_000, leaseTime: .seconds(1), on: $0.scheduler))
        },
        alternatives: [
            (16, 0), (16, 1_000), (64, 0), (64, 64), (64, 1_000), (128, 1_000), (256, 0),
            (256, 256), (1_000, 0),
        ].map { limit, queue in
            Value("\(limit), \(queue)") {
                $0.bulkhead(
                    Bulkhead(limit: limit, queue: queue, leaseTime: .seconds(1), on: $0.scheduler))
            }
        } + [Value("none") { $0.bulkhead(nil) }],
        [
            (.healthy, [.goodput, .tail]), (.bursts(of: 1_000), [.goodput, .tail]),
            (.far(1_000), [.goodput, .tail]), (.far(2_000), [.goodput]),
            (.oneSlow, [.goodput, .tail]), (.oneDown, [.goodput]), (.loss, [.goodput]),
            (.overload, [.goodput, .tail]), (.load(2), [.goodput]),
            (.stall(load: 0.7), [.goodput, .recovery]), (.stall(load: 0.88), [.goodput]),
            (.outage(2), [.goodput]),
            (.oneSlow.over(connections: 8), [.goodput, .tail]),
            (.overload.over(connections: 8), [.goodput, .tail]),
            (.bursts(of: 1_000).over(connections: 8), [.goodput]),
            (.overload.over(clients: 10), [.goodput]),
            (.stall(load: 0.7).over(clients: 10), [.goodput]),
            (.overload.over(clients: 100), [.goodput]),
        ])

    static let limiterWait = JudgedDefault(
        "Rate limiter, burst and longest wait, for 100 calls a second",
        standard: Value("1, 1 s (default)") { world in
            .rateLimit(
                sharing: RateLimiter(rate: 100, per: .seconds(1), on: world.scheduler))
        },
        alternatives: [
            (1, 0), (1, 0.1), (1, 5), (10, 0), (10, 1), (100, 0), (100, 1),
        ].map { burst, wait in
            Value(wait == 0 ? "\(burst), none" : "\(burst), \(wait) s") { world in
                .rateLimit(
                    sharing: RateLimiter(
                        rate: 100, per: .seconds(1), burst: burst, maxWait: .seconds(wait),
                        on: world.scheduler))
            }
        },
        [0.5, 0.8, 0.95, 1.2].map { load in
            (.quota(load: load), [.goodput, .tail])
        })
}

extension Trial {
    /// Calls at a share of a quota of 100 calls per second; the hosts could handle more.
    fileprivate static func quota(load: Double) -> Trial {
        let scenario = fleet(load: load * 100 / capacity, seconds: 60)
        return Trial(name: "\(Int(load * 100)) % of it", scenario: scenario, fault: 0..<60)
    }
}

extension SimulatedWorld {
    /// The default retry around a hedge with the same budget, for attempts of one second.
    fileprivate func hedge(
        _ make: (SimulatedWorld, RetryBudget) -> JudgedDefault.Part
    ) -> JudgedDefault.Part {
        let budget = RetryBudget()
        let retry = JudgedDefault.Part.retry(budget: budget, on: scheduler, random: random)
        return retry.around(make(self, budget).around(.attempt(in: self)))
    }

    /// A bulkhead around the default retry.
    func bulkhead(_ bulkhead: Bulkhead?) -> JudgedDefault.Part {
        guard let bulkhead else { return retry() }
        return .bulkhead(sharing: bulkhead).around(retry())
    }
}
