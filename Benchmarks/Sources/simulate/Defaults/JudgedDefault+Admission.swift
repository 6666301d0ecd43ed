import PledgeAdmission
import PledgeServices
import PledgeSimulation
import PledgeTraffic

extension JudgedDefault {
    /// The policies that send fewer calls to an overloaded service.
    static let admission: [JudgedDefault] = [
        .throttle, .throttleWindow, .shedder, .adaptiveLimit, .adaptiveQueue, .aimdMinimum,
    ]

    static let throttle = JudgedDefault(
        "Throttle, rule and largest probability",
        standard: Value("K = 2, 0.8 (default)") { world in
            world.throttle(AdaptiveThrottle(on: world.scheduler, random: world.random))
        },
        alternatives: [
            ("K = 1.2", .acceptMultiplier(1.2), 0.8), ("K = 1.5", .acceptMultiplier(1.5), 0.8),
            ("K = 3", .acceptMultiplier(3), 0.8),
            ("K = 2, 0.95", .acceptMultiplier(2), 0.95), ("Envoy's", .successRate(), 0.8),
        ].map { (name: String, rule: ThrottleRule, maxProbability: Double) in
            Value(name) { world in
                world.throttle(
                    AdaptiveThrottle(
                        rule: rule, maxProbability: maxProbability, on: world.scheduler,
                        random: world.random))
            }
        } + [Value("none") { $0.throttle(nil) }],
        figuresOfAdmission)

    static let throttleWindow = JudgedDefault(
        "Throttle, window",
        standard: Value("10 s (default)") { world in
            world.throttle(AdaptiveThrottle(on: world.scheduler, random: world.random))
        },
        alternatives: [2, 5, 20, 30, 60, 120].map { seconds in
            Value("\(seconds) s") { world in
                world.throttle(
                    AdaptiveThrottle(
                        rule: .acceptMultiplier(over: .seconds(seconds)), on: world.scheduler,
                        random: world.random))
            }
        } + [Value("none") { $0.throttle(nil) }],
        [
            (.healthy, [.goodput]), (.quiet, [.goodput]), (.errors(20), [.goodput]),
            (.errors(40).over(clients: 40), [.goodput]), (.burstsWithErrors, [.goodput]),
            (.oneDown, [.goodput]), (.outage(2), [.goodput, .recovery]),
            (.outage(30), [.goodput, .sent]), (.laterOutage, [.goodput, .sent, .recovery]),
            (.longOutage, [.goodput, .sent, .recovery]),
            (.overload, [.goodput, .tail, .sent]), (.load(2), [.goodput]),
            (.laterStall, [.goodput, .recovery]),
        ]
            + over(
                clients: [10],
                [
                    (.errors(20), [.goodput]), (.laterOutage, [.goodput, .sent, .recovery]),
                    (.overload, [.goodput]),
                ]))

    static let shedder = JudgedDefault(
        "Load shedder, longest waits and order",
        standard: Value("5, 100 ms (default)") { $0.shedder(LoadShedder(on: $0.scheduler)) },
        alternatives: [
            ("20, 100 ms", 20, 100, .oldestFirst), ("5, 20 ms", 5, 20, .oldestFirst),
            ("100, 100 ms", 100, 100, .oldestFirst),
            ("newest first", 5, 100, .newestFirstInOverload),
        ].map { (name: String, target: Int, interval: Int, order: LoadShedder.Order) in
            Value(name) { world in
                world.shedder(
                    LoadShedder(
                        target: .milliseconds(target), interval: .milliseconds(interval),
                        order: order, on: world.scheduler))
            }
        } + [
            Value("bulkhead of 64") { world in
                world.bulkhead(Bulkhead(limit: 64, queue: 0, leaseTime: nil, on: world.scheduler))
            }, Value("none") { $0.retry() },
        ],
        figuresOfAdmission)

    static let adaptiveLimit = JudgedDefault(
        "Adaptive limit, algorithm and queue",
        standard: Value("gradient, 10 (default)") { world in
            world.adaptive(AdaptiveConcurrency(on: world.scheduler, random: world.random))
        },
        alternatives: [
            ("gradient, 0", .gradient(), 0), ("AIMD, 10", .aimd(), 10),
            ("Vegas, 10", .vegas(), 10), ("correlation, 10", .correlation(), 10),
        ].map { (name: String, algorithm: ConcurrencyLimitAlgorithm, queue: Int) in
            Value(name) { world in
                world.adaptive(
                    AdaptiveConcurrency(
                        algorithm: algorithm, queue: queue, on: world.scheduler,
                        random: world.random))
            }
        } + [Value("none") { $0.retry() }],
        figuresOfAdmission)

    static let adaptiveQueue = JudgedDefault(
        "Adaptive limit, queue and longest wait",
        standard: Value("10, 1000 ms (default)") { world in
            world.adaptive(AdaptiveConcurrency(on: world.scheduler, random: world.random))
        },
        alternatives: [
            (0, 0), (10, 100), (10, 250), (10, 500), (5, 1_000), (20, 1_000), (100, 1_000),
        ].map { queue, milliseconds in
            Value("\(queue), \(milliseconds) ms") { world in
                world.adaptive(
                    AdaptiveConcurrency(
                        queue: queue, queueTimeout: .milliseconds(milliseconds),
                        on: world.scheduler, random: world.random))
            }
        } + [Value("none") { $0.retry() }],
        [
            (.healthy, [.goodput, .tail]), (.quietForLong, [.goodput, .tail]),
            (.slowBursts, [.goodput, .tail]), (.bursts(of: 100), [.goodput]),
            (.errors(20), [.goodput]), (.oneSlow, [.goodput, .tail]), (.outage(2), [.goodput]),
            (.overload, [.goodput, .tail]), (.load(2), [.goodput, .tail]),
            (.stall(load: 0.7), [.goodput, .recovery]), (.far(200), [.goodput, .tail]),
            (.healthy.over(clients: 10), [.goodput, .tail]),
            (.overload.over(clients: 10), [.goodput, .tail]),
            (.stall(load: 0.7).over(clients: 10), [.goodput]),
            (.healthy.over(clients: 100), [.goodput, .tail]),
            (.overload.over(clients: 100), [.goodput, .tail]),
        ])

    static let aimdMinimum = JudgedDefault(
        "AIMD, least limit",
        standard: Value("2 (default)") { world in
            world.adaptive(
                AdaptiveConcurrency(
                    algorithm: .aimd(), on: world.scheduler, random: world.random))
        },
        alternatives: [1, 4, 10, 20].map { minimum in
            Value("\(minimum)") { world in
                world.adaptive(
                    AdaptiveConcurrency(
                        algorithm: .aimd(minimum: minimum), on: world.scheduler,
                        random: world.random))
            }
        } + [Value("none") { $0.retry() }],
        [
            (.healthy, [.goodput]), (.quiet, [.goodput]), (.errors(20), [.goodput]),
            (.errors(50), [.goodput]),
            (.oneSlow, [.goodput]), (.outage(30), [.goodput, .recovery]),
            (.overload, [.goodput, .tail]), (.load(2), [.goodput]),
            (.stall(load: 0.7), [.goodput, .recovery]),
        ]
            + over(
                clients: [10, 100],
                [
                    (.errors(20), [.goodput]), (.oneSlow, [.goodput]),
                    (.overload, [.goodput, .tail, .sent]), (.load(2), [.goodput]),
                    (.stall(load: 0.7), [.goodput, .recovery]),
                ]))

    private static let figuresOfAdmission: Rows = [
        (.healthy, [.goodput, .tail]), (.quiet, [.goodput]), (.errors(20), [.goodput]),
        (.oneDown, [.goodput]),
        (.oneSlow, [.goodput, .tail]), (.outage(2), [.goodput]), (.outage(30), [.goodput, .sent]),
        (.overload, [.goodput, .tail, .sent]), (.load(2), [.goodput, .tail]),
        (.stall(load: 0.7), [.goodput, .recovery]),
    ]
}

extension Trial {
    /// All hosts are down for half a minute, after more than two minutes of normal work.
    static let laterOutage = outage(30, named: "later outage 30 s", after: 130, then: 90)

    /// All hosts stand still for 5 seconds, after more than two minutes of normal work.
    static let laterStall = stall(load: 0.7, named: "later stall", after: 130, then: 55)

    /// A constant load from the beginning to the end, as a share of the hosts' capacity.
    static func load(_ load: Double) -> Trial {
        let name = "load \(Int(load * 100)) %"
        return Trial(name: name, scenario: fleet(load: load, seconds: 40), fault: 0..<40)
    }
}

extension SimulatedWorld {
    /// A throttle on each attempt, so that the refusals aren't repeated.
    func throttle(_ throttle: AdaptiveThrottle?) -> JudgedDefault.Part {
        guard let throttle else { return retry() }
        return beneathRetry(.throttle(sharing: throttle))
    }

    /// A shedder around the default retry, where a bulkhead would be.
    func shedder(_ shedder: LoadShedder) -> JudgedDefault.Part {
        JudgedDefault.Part.loadShedding(sharing: shedder).around(retry())
    }

    func adaptive(_ limit: AdaptiveConcurrency) -> JudgedDefault.Part {
        beneathRetry(.adaptiveConcurrency(sharing: limit))
    }
}
