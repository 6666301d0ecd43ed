import Foundation
import Pledge
import PledgeFutures
import PledgeHTTPClients
import PledgeTraffic
import Testing

/// A default that is written out changes nothing.
@Suite struct DefaultsTests {
    /// One initialiser or function: what it makes by its defaults, and with each default written out.
    struct Row: Sendable {
        let name: String
        let byDefault: String
        let writtenOut: String

        /// Labels that the table leaves out: clocks and chance.
        static let left: Set = ["on", "random", "now", "isPublicSuffix"]

        init<Value>(_ name: String, _ byDefault: Value, _ writtenOut: Value) {
            self.name = name
            self.byDefault = Settings.text(of: byDefault)
            self.writtenOut = Settings.text(of: writtenOut)
        }
    }

    static let rows: [Row] = policies + values

    private static let policies: [Row] = [
        Row(
            "CircuitBreaker", CircuitBreaker(),
            CircuitBreaker(
                named: nil, failuresInARow: 10, lasting: .milliseconds(500), successRate: 0.5,
                over: .seconds(30), minimumRequests: 5, slowCallDuration: nil, slowCallRate: 1,
                probes: 1, backoff: .equalJitter(base: .seconds(1), cap: .seconds(10)))),
        Row(
            "Bulkhead", Bulkhead(),
            Bulkhead(
                named: nil, limit: 256, queue: 1_000, queueTimeout: nil, leaseTime: .seconds(1))),
        Row(
            "LoadShedder", LoadShedder(),
            LoadShedder(
                named: nil, limit: 64, queue: 1_000, target: .milliseconds(5),
                interval: .milliseconds(100), order: .oldestFirst)),
        Row(
            "RateLimiter", RateLimiter(rate: 5, per: .seconds(1)),
            RateLimiter(
                named: nil, rate: 5, per: .seconds(1), burst: 1, maxWait: .seconds(1), shared: nil)),
        Row(
            "RetryBudget", RetryBudget(),
            RetryBudget(named: nil, capacity: 10, retriesPerSuccess: 0.2, shared: nil)),
        Row(
            "Hedge", Hedge(),
            Hedge(named: nil, after: nil, attempts: 2, maxExtraLoad: 0.01, budget: nil)),
        Row(
            "Pushback", Pushback(),
            Pushback(named: nil, maxWait: .seconds(10), maxPause: .seconds(60))),
        Row(
            "AdaptiveThrottle", AdaptiveThrottle(random: .seeded(1)),
            AdaptiveThrottle(
                named: nil, rule: .acceptMultiplier(), maxProbability: 0.8, minimumRate: 5,
                random: .seeded(1))),
        Row(
            "AdaptiveConcurrency", AdaptiveConcurrency(random: .seeded(1)),
            AdaptiveConcurrency(
                named: nil, algorithm: .gradient(), queue: 10, queueTimeout: .seconds(1),
                random: .seeded(1))),
        Row(
            "ThrottleRule.acceptMultiplier", ThrottleRule.acceptMultiplier(),
            ThrottleRule.acceptMultiplier(2, over: .seconds(10))),
        Row(
            "ThrottleRule.successRate", ThrottleRule.successRate(),
            ThrottleRule.successRate(0.95, aggression: 1, over: .seconds(30))),
        Row(
            "ConcurrencyLimitAlgorithm.aimd", limit(.aimd()),
            limit(
                .aimd(
                    initial: 20, minimum: 2, maximum: 200, decrease: 0.9,
                    slowCallDuration: .seconds(5)))),
        Row(
            "ConcurrencyLimitAlgorithm.vegas", limit(.vegas()),
            limit(.vegas(initial: 20, minimum: 1, maximum: 1_000))),
        Row(
            "ConcurrencyLimitAlgorithm.gradient", limit(.gradient()),
            limit(
                .gradient(
                    minimum: 3, maximum: 1_000, window: .milliseconds(100),
                    measurementInterval: .seconds(60)))),
        Row(
            "ConcurrencyLimitAlgorithm.correlation", limit(.correlation()),
            limit(.correlation(initial: 20, minimum: 1, maximum: 200))),
        Row(
            "SharedState", SharedState("a", in: store),
            SharedState("a", in: store, failing: .open, timeLimit: .milliseconds(100))),
        Row(
            "Memo", Memo<Int, Int>(timeToLive: .seconds(1)),
            Memo<Int, Int>(named: nil, timeToLive: .seconds(1), limit: 100)),
        Row(
            "Backoff.fullJitter", Backoff.fullJitter(),
            Backoff.fullJitter(base: .milliseconds(100), cap: .seconds(20))),
        Row(
            "Backoff.equalJitter", Backoff.equalJitter(),
            Backoff.equalJitter(base: .milliseconds(100), cap: .seconds(20))),
        Row(
            "Backoff.decorrelatedJitter", Backoff.decorrelatedJitter(),
            Backoff.decorrelatedJitter(base: .milliseconds(100), cap: .seconds(20))),
    ]

    private static let store = MemoryPolicyStore()

    /// A limit shows the settings of its algorithm, which is a function.
    private static func limit(_ algorithm: ConcurrencyLimitAlgorithm) -> AdaptiveConcurrency {
        AdaptiveConcurrency(algorithm: algorithm, random: .seeded(1))
    }

    private static let values: [Row] = [
        Row(
            "Retry", Retry(),
            Retry(
                attempts: 3, backoff: .fullJitter(), maxServerDelay: .seconds(10),
                unproven: .allowed)),
        Row(
            "Redirects", Redirects(),
            Redirects(
                limit: 20, stripping: [], keeping: [], allowsDowngrade: false,
                refusesPrivateAddresses: false, sendsBodiesAcrossOrigins: true)),
        Row(
            "Tracing", PledgeHTTPClients.HTTPClient.Tracing(),
            PledgeHTTPClients.HTTPClient.Tracing(
                to: .all, beginningTraces: true, samplingShare: 1)),
        Row(
            "Log", PledgeHTTPClients.HTTPClient.Log { _ in },
            PledgeHTTPClients.HTTPClient.Log(headers: false, events: false) { _ in }),
    ]

    @Test(arguments: rows)
    func aDefaultThatIsWrittenOutChangesNothing(_ row: Row) {
        #expect(row.byDefault == row.writtenOut)
    }

    /// Otherwise the table would say nothing.
    @Test func theComparisonTellsSettingsApart() {
        let pairs: [(Any, Any)] = [
            (CircuitBreaker(), CircuitBreaker(lasting: .zero)),
            (CircuitBreaker(), CircuitBreaker(slowCallDuration: .seconds(1))),
            (CircuitBreaker(), CircuitBreaker(backoff: .constant(.seconds(1)))),
            (Bulkhead(), Bulkhead(queue: 0)), (Bulkhead(), Bulkhead(leaseTime: nil)),
            (Bulkhead(), Bulkhead(queueTimeout: .seconds(1))),
            (LoadShedder(), LoadShedder(order: .newestFirstInOverload)),
            (RetryBudget(), RetryBudget(capacity: 11)), (Pushback(), Pushback(maxWait: .zero)),
            (Hedge(), Hedge(attempts: 3)), (Hedge(), Hedge(maxExtraLoad: 0.02)),
            (Hedge(), Hedge(after: .seconds(1))), (Retry(), Retry(attempts: 2)),
            (Retry(), Retry(backoff: .equalJitter())), (Redirects(), Redirects(limit: 19)),
            (Self.limit(.aimd()), Self.limit(.aimd(maximum: 201))),
            (
                RateLimiter(rate: 1, per: .seconds(1)),
                RateLimiter(rate: 1, per: .seconds(1), burst: 2)
            ),
        ]
        for (first, second) in pairs {
            #expect(Settings.text(of: first) != Settings.text(of: second), "\(type(of: first))")
        }
    }

    /// The table writes out each default that the sources declare.
    @Test func theTableIsWhole() throws {
        let all = try Repository.this.check().sources
        let table = try #require(all["Docs/Examples/CheatSheets/DefaultsTests.swift"])
        let rows = table.split(separator: "Row(\n").dropFirst().map(String.init)
        #expect(rows.count == Self.rows.count)
        let declared = all.filter { path, _ in
            Self.folders.contains { path.hasPrefix($0) }
        }.values.flatMap(Declaration.all)
        for declaration in declared where declaration.type != "Middleware" {
            let defaults = declaration.parameters.filter {
                $0.defaultValue != nil && !Row.left.contains($0.label)
            }
            let name = declaration.shownName
            let row = rows.first { $0.trimmed.hasPrefix("\"\(name)\"") }?
                .replacing(/\s+/, with: " ")
            for parameter in defaults where defaults.count > 1 {
                let value = parameter.defaultValue ?? ""
                let written = parameter.label == "_" ? value : "\(parameter.label): \(value)"
                #expect(row?.contains(written) == true, "\(name) without \(written)")
            }
        }
    }

    /// Initialisers of one type, and functions of one name, give a label one default.
    @Test func aLabelHasOneDefault() throws {
        let sources = try Repository.this.check().sources.filter { $0.key.hasPrefix("Sources/") }
        var defaults: [String: Set<String>] = [:]
        for declaration in sources.values.flatMap(Declaration.all) {
            for parameter in declaration.parameters where parameter.label != "_" {
                guard let value = parameter.defaultValue else { continue }
                defaults["\(declaration.shownName) \(parameter.label)", default: []].insert(value)
            }
        }
        #expect(defaults.count > 300)
        let several = defaults.filter { $0.value.count > 1 && Self.several[$0.key] != $0.value }
        #expect(several == [:])
    }

    /// Where the settings are declared.
    private static let folders = [
        "Sources/Services/Policies/", "Sources/Admission/", "Sources/Traffic/Policies/",
        "Sources/HTTPClients/Slots/", "Sources/HTTPNetworking/Middleware/Redirect.swift",
    ]

    /// Limits of one transport are those of its library; and a response decodes by a client's coding.
    private static let several: [String: Set<String>] = [
        "Configuration maxBodySize": ["64 << 20", "defaultMaxBodySize"],
        "Configuration maxUnreadBytes": ["1 << 20", "16 << 20"],
    ]
}

/// Reads the settings out of a value or an object, for a comparison.
private enum Settings {
    /// Every stored property, in order; of clocks, chance and functions, only that they are there.
    static func text(of value: Any) -> String {
        var seen: Set<ObjectIdentifier> = []
        return text(of: value, &seen)
    }

    private static func text(of value: Any, _ seen: inout Set<ObjectIdentifier>) -> String {
        if value is any FutureScheduler { return "clock" }
        if value is RandomSource { return "chance" }
        if let locked = value as? any ReadableLock { return text(of: locked.content, &seen) }
        let mirror = Mirror(reflecting: value)
        if mirror.displayStyle == .class {
            guard seen.insert(ObjectIdentifier(value as AnyObject)).inserted else { return "again" }
        }
        var parts = mirror.children.map { "\($0.label ?? "")=\(text(of: $0.value, &seen))" }
        if mirror.displayStyle == .set || mirror.displayStyle == .dictionary { parts.sort() }
        if let parent = mirror.superclassMirror {
            parts += parent.children.map { "\($0.label ?? "")=\(text(of: $0.value, &seen))" }
        }
        let isLeaf = parts.isEmpty && mirror.displayStyle != .class
        let own = isLeaf ? String(describing: value) : parts.joined(separator: ", ")
        return "\(type(of: value))(\(own))"
    }
}

private protocol ReadableLock {
    var content: Any { get }
}

extension Locked: ReadableLock {
    fileprivate var content: Any { withLock { $0 } }
}
