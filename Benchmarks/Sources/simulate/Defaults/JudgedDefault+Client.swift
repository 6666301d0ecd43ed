import PledgeAdmission
import PledgeFutures
import PledgeServices
import PledgeSimulation

/// The policies that an `HTTPClient` has around and below its retry.
extension JudgedDefault {
    static let guards = JudgedDefault(
        "HTTPClient, breaker and bulkhead",
        standard: Value("breaker, 256, 1000 (default)") {
            $0.guarded(breaker: true, places: 256)
        },
        alternatives: [
            ("none", false, nil), ("breaker", true, nil), ("64, 1000", false, 64),
            ("256, 1000", false, 256), ("breaker, 64, 1000", true, 64),
        ].map { (name: String, hasBreaker: Bool, places: Int?) in
            Value(name) { $0.guarded(breaker: hasBreaker, places: places) }
        },
        [
            (.healthy, [.goodput]), (.bursts(of: 1_000), [.goodput]), (.far(2_000), [.goodput]),
            (.errors(20), [.goodput]), (.errors(50), [.goodput]),
            (.lostConnections(20), [.goodput]), (.lostConnections(200), [.goodput]),
            (.oneDown, [.goodput]), (.oneOfThreeDown, [.goodput]), (.oneSlow, [.goodput, .tail]),
            (.loss, [.goodput]), (.outage(2), [.goodput, .recovery]),
            (.outage(30), [.goodput, .sent, .recovery]), (.overload, [.goodput, .tail]),
            (.load(2), [.goodput]), (.stall(load: 0.7), [.goodput, .recovery]),
            (.stall(load: 0.88), [.goodput, .recovery]),
            (.oneSlow.over(connections: 8), [.goodput, .tail]),
            (.overload.over(connections: 8), [.goodput, .tail]),
            (.stall(load: 0.7).over(connections: 8), [.goodput]),
        ]
            + over(
                clients: [10, 100],
                [
                    (.oneOfThreeDown, [.goodput]),
                    (.outage(30), [.goodput, .sent]),
                    (.overload, [.goodput]),
                    (.stall(load: 0.7), [.goodput]),
                ]))

    static let deadline = JudgedDefault(
        "HTTPClient, deadline",
        standard: Value("100 s (default)") {
            $0.attempts(of: .seconds(45), within: .seconds(100))
        },
        alternatives: [10, 30, 60].map { (seconds: Int) in
            Value("\(seconds) s") { $0.attempts(of: .seconds(45), within: .seconds(seconds)) }
        } + [Value("none") { $0.attempts(of: .seconds(45)) }],
        [
            (.healthy, [.goodput]), (.longAnswers, [.goodput]), (.loss, [.goodput, .tail]),
            (.oneSlow, [.goodput]), (.overload, [.goodput]), (.stall(load: 0.7), [.goodput]),
            (.oneSlow.over(connections: 8), [.goodput, .tail]),
            (.overload.over(connections: 8), [.goodput, .tail]),
            (.bursts(of: 1_000).over(connections: 8), [.goodput]),
        ])

    static let attemptTimeout = JudgedDefault(
        "HTTPClient, time of an attempt",
        standard: Value("45 s (default)") { $0.attempts(of: .seconds(45)) },
        alternatives: [
            Value("0.2 s") { $0.attempts(of: .milliseconds(200)) },
            Value("1 s") { $0.attempts(of: .seconds(1)) },
            Value("5 s") { $0.attempts(of: .seconds(5)) },
            Value("10 s") { $0.attempts(of: .seconds(10)) },
            Value("30 s") { $0.attempts(of: .seconds(30)) },
            Value("60 s") { $0.attempts(of: .seconds(60)) },
            Value("none") { .retry(on: $0.scheduler, random: $0.random) },
        ],
        [
            (.healthy, [.goodput]), (.longAnswers, [.goodput, .sent]), (.loss, [.goodput, .tail]),
            (.oneSlow, [.goodput, .tail]), (.overload, [.goodput, .tail]),
            (.stall(load: 0.7), [.goodput, .recovery]),
            (.oneSlow.over(connections: 8), [.goodput, .tail]),
            (.overload.over(connections: 8), [.goodput, .tail]),
        ])

    static let slowBodies = attempts("HTTPClient, an attempt with a slow body", with: .slow)

    static let brokenBodies = attempts(
        "HTTPClient, an attempt with a body that stops", with: .broken)

    /// The limits that end an attempt whose body arrives late or never.
    private static func attempts(_ title: String, with body: Body) -> JudgedDefault {
        let trial = Trial(
            name: "\(body) bodies", scenario: Trial.healthy.scenario, fault: Trial.healthy.fault)
        return JudgedDefault(
            title,
            standard: Value("headers in 45 s, all in 100 s (default)") {
                $0.bodies(body, headers: .seconds(45), deadline: .seconds(100))
            },
            alternatives: [
                Value("no deadline") { $0.bodies(body, headers: .seconds(45)) },
                Value("all in 60 s") {
                    $0.bodies(body, headers: .seconds(45), deadline: .seconds(60))
                },
                Value("all in 30 s") {
                    $0.bodies(body, headers: .seconds(45), deadline: .seconds(30))
                },
                Value("silence of 30 s") {
                    $0.bodies(
                        body, headers: .seconds(45), silence: .seconds(30), deadline: .seconds(60))
                },
                Value("attempt with body 30 s") { $0.bodies(body, whole: .seconds(30)) },
                Value("10 s") { $0.bodies(body, whole: .seconds(10)) },
            ],
            [(trial, [.goodput, .tail])])
    }
}

/// The fault in the bodies of two answers in a hundred.
///
/// All other bodies arrive at the same time as their headers.
enum Body: Sendable {
    /// A slow line: one of the two bodies takes 5 s, and the other 40 s, in each attempt.
    case slow
    /// A lost connection: nothing follows the headers of the first attempt.
    case broken
}

extension Middleware<SimulatedRequest, SimulatedResponse> {
    /// Adds the time of the bodies, after the headers have arrived.
    ///
    /// - Parameter silence: The longest time without data, which is the idle limit of a transport.
    static func body(_ body: Body, silence: Duration, in world: SimulatedWorld) -> Self {
        Middleware(named: "body") { next in
            { request in
                let isSlow = body == .slow
                guard request.number % 50 == 0, isSlow || CallContext.current.attempt == 1 else {
                    return next(request)
                }
                let time = request.number % 100 == 0 ? 40 : 5
                return next(request).flatMap { response in
                    if isSlow {
                        return Future(value: response).delay(.seconds(time), on: world.scheduler)
                    }
                    return Future(value: response).delay(silence, on: world.scheduler)
                        .flatMap { _ in
                            Future(error: ServiceError(.timedOut, policy: "body", limit: silence))
                        }
                }
            }
        }
    }
}

extension Trial {
    /// Answers with a median of 2 seconds.
    ///
    /// One call in a thousand takes more than 13 seconds.
    fileprivate static let longAnswers = Trial(
        name: "long answers",
        scenario: fleet(load: 0.5, seconds: 60) {
            $0.serviceTime = .logNormal(median: .seconds(2), sigma: 0.6)
            $0.workers = 200
        }, fault: 0..<60)
}

extension SimulatedWorld {
    /// The default retry, optionally over a breaker, and optionally in a bulkhead with a queue of a thousand.
    fileprivate func guarded(breaker hasBreaker: Bool, places: Int? = nil) -> JudgedDefault.Part {
        let part =
            hasBreaker ? breaker(CircuitBreaker(on: scheduler, random: random)) : retry()
        guard let places else { return part }
        let bulkhead = Bulkhead(limit: places, queue: 1_000, leaseTime: .seconds(1), on: scheduler)
        return .bulkhead(sharing: bulkhead).around(part)
    }

    fileprivate func attempts(
        of time: Duration, within deadline: Duration? = nil
    ) -> JudgedDefault.Part {
        self.deadline(deadline)
            .around(.retry(on: scheduler, random: random).around(.timeout(time, on: scheduler)))
    }

    private func deadline(_ limit: Duration?) -> JudgedDefault.Part {
        limit.map { .deadline($0, on: scheduler) } ?? .passThrough
    }

    /// The default retry for attempts with bodies.
    ///
    /// A limit applies to the headers, or to the whole attempt.
    fileprivate func bodies(
        _ body: Body, headers: Duration? = nil, whole: Duration? = nil,
        silence: Duration = .seconds(60), deadline: Duration? = nil
    ) -> JudgedDefault.Part {
        func timeout(_ limit: Duration?) -> JudgedDefault.Part {
            limit.map { .timeout($0, on: scheduler) } ?? .passThrough
        }
        return self.deadline(deadline)
            .around(.retry(on: scheduler, random: random))
            .around(timeout(whole))
            .around(.body(body, silence: silence, in: self))
            .around(timeout(headers))
    }
}
