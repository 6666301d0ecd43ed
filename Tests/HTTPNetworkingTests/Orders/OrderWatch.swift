import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

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
        case is HTTPRequest.Error, is FileError, is DecodingFailure: true
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
