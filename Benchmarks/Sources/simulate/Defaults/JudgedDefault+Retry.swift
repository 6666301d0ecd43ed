import PledgeServices
import PledgeSimulation

extension JudgedDefault {
    static let attempts = JudgedDefault(
        "Retry, attempts",
        standard: Value("3 (default)") { $0.retry(.retry(on: $0.scheduler, random: $0.random)) },
        alternatives: [1, 2, 4, 5].map { count in
            Value("\(count)") { world in
                world.retry(
                    .retry(Retry(attempts: count), on: world.scheduler, random: world.random))
            }
        },
        [
            (.errors(5), [.goodput]), (.errors(20), [.goodput, .tail]), (.loss, [.goodput]),
            (.oneDown, [.goodput]), (.oneSlow, [.goodput]), (.outage(2), [.goodput]),
            (.outage(30), [.sent]), (.overload, [.goodput, .sent]),
        ])

    static let backoff = JudgedDefault(
        "Retry, backoff",
        standard: Value("full, 100 ms (default)") {
            $0.retry(.retry(on: $0.scheduler, random: $0.random))
        },
        alternatives: [
            Value("at once") { $0.retry(.constant(.zero)) },
            Value("full, 25 ms") { $0.retry(.fullJitter(base: .milliseconds(25))) },
            Value("full, 400 ms") { $0.retry(.fullJitter(base: .milliseconds(400))) },
            Value("full, 1 s") { $0.retry(.fullJitter(base: .seconds(1))) },
            Value("equal, 100 ms") { $0.retry(.equalJitter()) },
            Value("decorrelated, 100 ms") { $0.retry(.decorrelatedJitter()) },
        ],
        [
            (.errors(5), [.tail]), (.errors(20), [.goodput, .tail]), (.oneDown, [.goodput, .tail]),
            (.blips, [.goodput, .tail]), (.blips.over(clients: 100), [.goodput]),
            (.outage(2), [.goodput, .recovery]), (.stall(load: 0.7), [.goodput, .recovery]),
            (.overload, [.goodput, .sent]),
        ])

    static let serverDelay = JudgedDefault(
        "Retry, longest wait that a service may ask for",
        standard: Value("10 s (default)") {
            $0.retry(.retry(on: $0.scheduler, random: $0.random))
        },
        alternatives: [0, 5, 20].map { seconds in
            Value("\(seconds) s") { world in
                world.retry(
                    .retry(
                        Retry(maxServerDelay: .seconds(seconds)), on: world.scheduler,
                        random: world.random))
            }
        },
        [2, 10, 30].map { seconds in
            (.overload(retryAfter: seconds), [.goodput, .tail, .sent])
        })

    static let budgetShare = JudgedDefault(
        "Retry budget, part of a retry for each success",
        standard: Value("0.2 (default)") { $0.retry(RetryBudget()) },
        alternatives: [0, 0.05, 0.1, 0.5, 1].map { share in
            Value("\(share)") { $0.retry(RetryBudget(retriesPerSuccess: share)) }
        } + [Value("unlimited") { $0.retry(RetryBudget.unlimited) }],
        [
            (.errors(5), [.goodput]), (.errors(20), [.goodput]), (.errors(30), [.goodput]),
            (.errors(50), [.goodput]), (.oneDown, [.goodput]), (.oneOfThreeDown, [.goodput]),
            (.lostConnections(200), [.goodput]),
            (.outage(30), [.sent]), (.overload, [.goodput, .sent]),
            (.stall(load: 0.7), [.goodput, .recovery]), (.stall(load: 0.8), [.goodput, .recovery]),
            (.stall(load: 0.88), [.goodput, .recovery]),
            (.stall(load: 0.7).over(connections: 8), [.goodput]),
        ]
            + over(
                clients: [10, 100],
                [
                    (.oneOfThreeDown, [.goodput]),
                    (.overload, [.goodput]),
                    (.stall(load: 0.7), [.goodput]),
                ]))

    static let budgetCapacity = JudgedDefault(
        "Retry budget, capacity",
        standard: Value("10 (default)") { $0.retry(RetryBudget()) },
        alternatives: [0, 3, 20, 50, 100].map { capacity in
            Value("\(capacity)") { $0.retry(RetryBudget(capacity: capacity)) }
        },
        [
            (.errors(30), [.goodput]), (.oneOfThreeDown, [.goodput]),
            (.lostConnections(20), [.goodput]), (.lostConnections(200), [.goodput]),
            (.outage(2), [.goodput]), (.outage(30), [.sent]), (.overload, [.goodput, .sent]),
            (.stall(load: 0.7), [.goodput, .recovery]),
        ]
            + over(
                clients: [10, 100, 1_000],
                [
                    (.errors(20), [.goodput]),
                    (.outage(30), [.sent]),
                    (.stall(load: 0.7), [.goodput]),
                ]))

    static let budgetOrigins = JudgedDefault(
        "Retry budget, for each origin or for all",
        standard: Value("for each (default)") { world in
            world.eachOrigin { world.retry(RetryBudget()) }
        },
        alternatives: [10, 100].map { capacity in
            Value("one for all, \(capacity)") { $0.retry(RetryBudget(capacity: capacity)) }
        } + [
            Value("unlimited") { $0.retry(RetryBudget.unlimited) },
            Value("no retry") {
                .attempt(in: $0)
            },
        ],
        [0, 2, 10].map { (.origins(down: $0), [.goodput, .sent]) })
}

extension Trial {
    /// An overload in which a host with a full queue asks its callers to wait.
    fileprivate static func overload(retryAfter seconds: Int) -> Trial {
        var scenario = overload.scenario
        for index in scenario.hosts.indices {
            scenario.hosts[index].queueLimit = 20
            scenario.hosts[index].retryAfter = .seconds(seconds)
        }
        return Trial(
            name: "overload, Retry-After \(seconds) s", scenario: scenario, fault: overload.fault)
    }
}

extension SimulatedWorld {
    /// A retry with attempts of one second.
    func retry(_ retry: JudgedDefault.Part) -> JudgedDefault.Part {
        retry.around(.attempt(in: self))
    }

    /// The default retry, for attempts of one second.
    func retry() -> JudgedDefault.Part { retry(.retry(on: scheduler, random: random)) }

    /// The default retry around a policy for each attempt.
    func beneathRetry(_ part: JudgedDefault.Part) -> JudgedDefault.Part {
        JudgedDefault.Part.retry(on: scheduler, random: random)
            .around(part.around(.attempt(in: self)))
    }

    fileprivate func retry(_ backoff: Backoff) -> JudgedDefault.Part {
        retry(.retry(Retry(backoff: backoff), on: scheduler, random: random))
    }

    fileprivate func retry(_ budget: RetryBudget) -> JudgedDefault.Part {
        retry(.retry(budget: budget, on: scheduler, random: random))
    }
}
