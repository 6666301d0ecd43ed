import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

/// Invariants of HTTP middleware in every order, side by side and nested, for every behaviour of the server.
@Suite(.oneAtATime) struct HTTPOrderTests {
    /// The results of a part of the scripts.
    private struct Found {
        var pairs: Set<LayerPair> = []
        /// The number of stacks with four or more layers.
        var deep = 0
    }

    /// A failure prints its seed: `OrderScript(seed:)` repeats the run.
    @Test func everyOrderOfTheMiddlewareKeepsTheInvariants() async {
        let count = orderCount()
        let found = await withTaskGroup(of: Found.self) { group in
            let parts = 4
            for part in 0..<parts {
                group.addTask {
                    await onOwnThread { Self.run(stride(from: part, to: count, by: parts)) }
                }
            }
            return await group.reduce(into: Found()) { all, part in
                all.pairs.formUnion(part.pairs)
                all.deep += part.deep
            }
        }
        // Fewer scripts do not contain all pairs.
        guard count >= 1_200 else { return }
        let kinds = OrderedLayer.allCases
        let missing = kinds.flatMap { outer in kinds.map { LayerPair(outer: outer, inner: $0) } }
            .filter { !found.pairs.contains($0) }
        #expect(missing.isEmpty)
        #expect(found.deep * 100 > count * 48)
    }

    private static func run(_ seeds: StrideTo<Int>) -> Found {
        var found = Found()
        for seed in seeds {
            let script = OrderScript(seed: UInt64(seed))
            let faults = script.go()
            #expect(faults.isEmpty, "\(script.name)")
            found.pairs.formUnion(LayerPair.all(of: script.layers))
            found.deep += script.layers.count >= 4 ? 1 : 0
            guard seed % 10 < 1 else { continue }
            let again = OrderScript(seed: UInt64(seed))
            #expect(again.go() == faults, "\(script.name)")
            #expect(script.transcript == again.transcript, "\(script.name)")
        }
        return found
    }
}

/// Collects the events and log lines of a script.
final class OrderWatch: Sendable {
    private struct State {
        var breakers: [CircuitBreaker] = []
        var texts: [String] = []
        var lines: [String] = []
        /// The calls that were repeated although another attempt would end in the same way.
        var repeatedMistakes: [String] = []
        /// For each call of the events, the script's call.
        var calls: [UInt64: Int] = [:]
        /// The ends of each of the script's calls, as the outermost observer was notified of them.
        var ends: [Int: [Outcome]] = [:]
        /// The script's call that is being started.
        var current: Int?
    }

    private let state = Locked(State())

    func add(_ breaker: CircuitBreaker) { state.withLock { $0.breakers.append(breaker) } }

    var openBreakers: Int {
        state.withLock { $0.breakers }.count { $0.state != .closed }
    }

    /// The texts of log lines and events.
    var texts: [String] { state.withLock { $0.texts } }
    /// The events, without the number of the call, which the script does not determine.
    var lines: [String] { state.withLock { $0.lines } }
    var repeatedMistakes: [String] { state.withLock { $0.repeatedMistakes } }
    var ends: [Int: [Outcome]] { state.withLock { $0.ends } }

    func see(_ exchange: HTTPExchange) {
        let texts = ["\(exchange)", exchange.logLineWithHeaders]
        state.withLock { $0.texts += texts }
    }

    /// Calls a function for one of the script's calls.
    func begin<Output>(_ call: Int, _ body: () -> Output) -> Output {
        state.withLock { $0.current = call }
        defer { state.withLock { $0.current = nil } }
        return body()
    }

    /// An observer of the events within a stack.
    var observer: ServiceObserver {
        ServiceObserver { event in self.see(event) }
    }

    /// An observer of all events of a stack, and of the ends of its calls.
    var outermost: ServiceObserver {
        ServiceObserver { event in
            self.see(event)
            guard event.parent == nil else { return }
            self.state.withLock { state in
                switch event.kind {
                case .began: state.calls[event.call] = state.current
                case .ended(let outcome, _, _):
                    guard let call = state.calls[event.call] else { return }
                    state.ends[call, default: []].append(outcome)
                default: break
                }
            }
        }
    }

    /// Whether an error is the caller's mistake, or the refusal of a policy.
    private static func isMistake(_ error: any Error) -> Bool {
        switch error {
        case is Endpoint.Error, is FileError, is DecodingFailure: true
        case let error as HTTPError: error.code == .bodyUnreadable
        case let error as ServiceError: error.isRefusal
        default: false
        }
    }

    private func see(_ event: PolicyEvent) {
        let line = event.logLine
        state.withLock { state in
            state.lines.append(String(line.drop { $0 != " " }))
            if case .retrying(_, let error?) = event.kind, Self.isMistake(error) {
                state.repeatedMistakes.append("\(type(of: error))")
            }
        }
    }
}

/// A violation of an invariant in a script.
struct OrderFault: Hashable, Sendable, CustomStringConvertible {
    /// The invariants of every order.
    enum Invariant: String, Hashable, Sendable {
        case processedOnce, secretsAreNotShown, secretsStayWithTheirOrigins, everyCallEndsInTime
        case breakersOpenByEvidence, observersCountWhatCallersSee, deadTokensAreNotSent,
            redirectsAreFollowed
        case repetitionsAreBounded, repetitionsWait, mistakesAreNotRepeated
        case storedAnswersAreUsed, refusedTokensAreRenewed, youngTokensAreKept
    }

    let invariant: Invariant
    let text: String

    init(_ invariant: Invariant, _ text: String) {
        self.invariant = invariant
        self.text = text
    }

    var description: String { "\(invariant): \(text)" }
}

/// An invariant that does not hold if one layer is above another, and why.
struct ExceptedPair: Sendable {
    let pair: LayerPair
    let invariant: OrderFault.Invariant
    /// A script in which it fails.
    let seed: UInt64
    let reason: String

    /// At most 15; no order that a guide prints is among them.
    static let all = [
        ExceptedPair(
            pair: LayerPair(outer: .cache, inner: .defaultHeaders),
            invariant: .storedAnswersAreUsed, seed: 1163,
            reason: "a header that is added beneath the cache may be a user's")
    ]

    /// Whether a fault of a stack is a known exception.
    static func explain(_ fault: OrderFault, in layers: [OrderedLayer]) -> Bool {
        let excepted = all.filter { $0.invariant == fault.invariant }
        if excepted.isEmpty { return false }
        let pairs = LayerPair.all(of: layers)
        return excepted.contains { pairs.contains($0.pair) }
    }
}
