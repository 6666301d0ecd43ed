import PledgeServices
import PledgeSimulation

extension JudgedDefault {
    static let breakerRate = JudgedDefault(
        "Circuit breaker, share of successes",
        standard: standardBreaker("0.5 (default)"),
        alternatives: [0.9, 0.8, 0.2, 0].map { rate in
            Value("\(rate)") { world in
                world.breaker(
                    CircuitBreaker(successRate: rate, on: world.scheduler, random: world.random))
            }
        } + [Value("no breaker") { $0.breaker(nil) }],
        partial + whole)

    static let breakerRow = JudgedDefault(
        "Circuit breaker, failures in a row",
        standard: standardBreaker("10 (default)"),
        alternatives: [3, 5, 20, 1_000].map { count in
            Value("\(count)") { world in
                world.breaker(
                    CircuitBreaker(
                        failuresInARow: count, lasting: .milliseconds(500), on: world.scheduler,
                        random: world.random))
            }
        }, partial + whole + smallClients)

    static let breakerLasting = JudgedDefault(
        "Circuit breaker, how long failures last",
        standard: standardBreaker("0.5 s (default)"),
        alternatives: [0, 0.1, 1, 2].map { (seconds: Double) in
            Value("\(seconds) s") { world in
                world.breaker(
                    CircuitBreaker(
                        failuresInARow: 10, lasting: .seconds(seconds), on: world.scheduler,
                        random: world.random))
            }
        } + [Value("no breaker") { $0.breaker(nil) }],
        correlated + partial + whole
            + [
                (.oneSlow.over(connections: 8), [.goodput]),
                (.overload.over(connections: 8), [.goodput]),
                (.stall(load: 0.7).over(connections: 8), [.goodput]),
            ]
            + over(
                clients: [10, 100],
                [
                    (.lostConnections(20), [.goodput]),
                    (.oneOfThreeDown, [.goodput]),
                    (.overload, [.goodput]),
                    (.outage(30), [.goodput, .sent]),
                ]))

    static let breakerMinimum = JudgedDefault(
        "Circuit breaker, least calls in the window",
        standard: standardBreaker("5 (default)"),
        alternatives: [10, 20, 100].map { count in
            Value("\(count)") { world in
                world.breaker(
                    CircuitBreaker(
                        minimumRequests: count, on: world.scheduler, random: world.random))
            }
        }, partial + smallClients)

    static let breakerWindow = JudgedDefault(
        "Circuit breaker, window",
        standard: standardBreaker("30 s (default)"),
        alternatives: [10, 60].map { seconds in
            Value("\(seconds) s") { world in
                world.breaker(
                    CircuitBreaker(
                        over: .seconds(seconds), on: world.scheduler, random: world.random))
            }
        }, partial + smallClients)

    static let breakerOpenTime = JudgedDefault(
        "Circuit breaker, first and longest open time, with equal jitter",
        standard: standardBreaker("1 s, 10 s (default)"),
        alternatives: [
            (0.5, 10.0), (1, 5), (1, 30), (2, 10), (5, 30), (5, 300),
        ].map { base, cap in
            Value("\(base) s, \(cap) s") { world in
                world.breaker(
                    CircuitBreaker(
                        backoff: .equalJitter(base: .seconds(base), cap: .seconds(cap)),
                        on: world.scheduler, random: world.random))
            }
        },
        whole + [
            (.oneDown, [.goodput]), (.overload, [.goodput]), (.errors(50), [.goodput]),
            (.outage(30).over(clients: 100), [.sent, .goodput, .recovery]),
            (.longOutage, [.sent, .recovery]),
            (.longOutage.over(clients: 100), [.sent, .goodput, .recovery]),
        ])

    static let breakerProbes = JudgedDefault(
        "Circuit breaker, probes and slow calls",
        standard: standardBreaker("1, none (default)"),
        alternatives: [3, 10].map { count in
            Value("\(count)") { world in
                world.breaker(
                    CircuitBreaker(probes: count, on: world.scheduler, random: world.random))
            }
        }
            + [0.5, 1].map { rate in
                Value("1, \(rate) from 0.2 s") { world in
                    world.breaker(
                        CircuitBreaker(
                            slowCallDuration: .milliseconds(200), slowCallRate: rate,
                            on: world.scheduler, random: world.random))
                }
            }, whole + [(.errors(20), [.goodput]), (.oneDown, [.goodput]), (.overload, [.goodput])])

    static let breakerOrigins = JudgedDefault(
        "Circuit breaker, for each origin or for all",
        standard: Value("for each (default)") { world in
            world.eachOrigin {
                world.breaker(CircuitBreaker(on: world.scheduler, random: world.random))
            }
        },
        alternatives: [
            Value("one for all") { world in
                let breaker = CircuitBreaker(on: world.scheduler, random: world.random)
                return world.eachOrigin { world.breaker(breaker) }
            },
            Value("no breaker") { world in world.eachOrigin { world.retry() } },
        ],
        [0, 2, 10, 15].map { (.origins(down: $0), [.goodput, .sent]) })

    private static func standardBreaker(_ name: String) -> Value {
        Value(name) { world in
            world.breaker(CircuitBreaker(on: world.scheduler, random: world.random))
        }
    }

    private static let partial: Rows = [
        (.errors(5), [.goodput]), (.errors(20), [.goodput]), (.errors(50), [.goodput]),
        (.oneDown, [.goodput]), (.oneSlow, [.goodput]), (.loss, [.goodput]),
        (.overload, [.goodput]),
    ]

    private static let correlated: Rows =
        [1, 20, 200].map { (.lostConnections($0), [.goodput]) }

    private static let whole: Rows = [
        (.outage(2), [.goodput, .recovery]), (.outage(30), [.goodput, .sent, .recovery]),
        (.stall(load: 0.7), [.goodput]),
    ]

    private static let smallClients: Rows =
        over(
            clients: [100, 1_000],
            [
                (.errors(5), [.goodput]),
                (.errors(20), [.goodput]),
                (.oneDown, [.goodput]),
                (.outage(30), [.sent, .goodput]),
            ])
}

extension Trial {
    /// All hosts are down for five minutes, at a tenth of the load that they can handle.
    static let longOutage = outage(300, load: 0.1, then: 300)
}

extension SimulatedWorld {
    /// A separate part for each origin, just as an `HTTPClient` has a retry budget for each origin.
    func eachOrigin(
        _ make: @escaping @Sendable () -> JudgedDefault.Part
    ) -> JudgedDefault.Part {
        .keyed(by: \.host) { _ in make() }
    }

    /// The default retry around a breaker, for attempts of one second.
    func breaker(_ breaker: CircuitBreaker?) -> JudgedDefault.Part {
        guard let breaker else { return retry() }
        return beneathRetry(.circuitBreaker(sharing: breaker))
    }
}
