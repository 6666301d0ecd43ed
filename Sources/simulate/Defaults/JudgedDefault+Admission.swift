import Services
import Simulation

extension JudgedDefault {
    /// The policies that make fewer calls to a service that is overloaded.
    static let admission: [JudgedDefault] = [.throttle, .shedder, .adaptiveLimit]

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
                world.bulkhead(Bulkhead(on: world.scheduler))
            }, Value("none") { $0.retry() },
        ],
        figuresOfAdmission)

    static let adaptiveLimit = JudgedDefault(
        "Adaptive limit, algorithm and queue",
        standard: Value("gradient, 0 (default)") { world in
            world.adaptive(AdaptiveConcurrency(on: world.scheduler, random: world.random))
        },
        alternatives: [
            ("gradient, 10", .gradient(), 10), ("AIMD, 0", .aimd(), 0), ("Vegas, 0", .vegas(), 0),
            ("correlation, 0", .correlation(), 0),
        ].map { (name: String, algorithm: ConcurrencyLimitAlgorithm, queue: Int) in
            Value(name) { world in
                world.adaptive(
                    AdaptiveConcurrency(
                        algorithm: algorithm, queue: queue, queueTimeout: .milliseconds(100),
                        on: world.scheduler, random: world.random))
            }
        } + [Value("none") { $0.retry() }],
        figuresOfAdmission)

    private static let figuresOfAdmission: Rows = [
        (.healthy, [.goodput, .tail]), (.quiet, [.goodput]), (.errors(20), [.goodput]),
        (.oneDown, [.goodput]),
        (.oneSlow, [.goodput, .tail]), (.outage(2), [.goodput]), (.outage(30), [.goodput, .sent]),
        (.overload, [.goodput, .tail, .sent]), (.load(2), [.goodput, .tail]),
        (.stall(load: 0.7), [.goodput, .recovery]),
    ]
}

extension Trial {
    /// A load that does not end, as a part of what the hosts can do.
    static func load(_ load: Double) -> Trial {
        let name = "load \(Int(load * 100)) %"
        return Trial(name: name, scenario: fleet(load: load, seconds: 40), fault: 0..<40)
    }
}

extension SimulatedWorld {
    /// A throttle of each attempt, so that its refusals are not repeated.
    func throttle(_ throttle: AdaptiveThrottle?) -> JudgedDefault.Part {
        guard let throttle else { return retry() }
        return beneathRetry(.throttle(sharing: throttle))
    }

    /// A shedder around the default retry, as a bulkhead.
    func shedder(_ shedder: LoadShedder) -> JudgedDefault.Part {
        JudgedDefault.Part.shed(sharing: shedder).around(retry())
    }

    func adaptive(_ limit: AdaptiveConcurrency) -> JudgedDefault.Part {
        beneathRetry(.adaptiveConcurrency(sharing: limit))
    }
}
