import Foundation
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices
import PledgeSimulation

/// Clients that have signed in at the same time, so that their tokens expire at the same time.
///
/// Each client makes three calls at once in every second.
struct TokenHerd {
    static let api = URL(string: "http://1.fleet.test/items")!
    private static let tokens = URL(string: "http://0.fleet.test/token")!
    private static let callsAtOnce = 3
    /// The time for which the first tokens are valid, in seconds.
    ///
    /// The next tokens outlast the run.
    static let lifetime = 30
    static let duration = 60

    /// The number of clients.
    ///
    /// The token server can answer a fifth of them per second.
    var clients = 1_000

    /// The findings of a run.
    struct Outcome {
        let run: SimulationRun
        /// Calls to the token server, in each second.
        let renewals: [Int]

        /// All calls to the token server.
        var renewalCount: Int { renewals.reduce(0, +) }
        /// The number of seconds from the first call to the token server to the last.
        var span: Int { renewals.count - (renewals.firstIndex { $0 > 0 } ?? renewals.count) }
        /// The time during which the tokens are renewed.
        static let herdTime = 15.0...45.0
    }

    func outcome(of rule: RenewalRule, _ settings: ScenarioSettings) -> Outcome {
        let tally = CallTally()
        let scenario = Scenario(
            hosts: [tokenServer, Self.apiServer], arrivals: .recorded(callTimes),
            duration: .seconds(Self.duration))
        let run = settings.run(scenario) { world in
            let parts = parts(in: world, tally)
            let services = (0..<clients).map { _ in rule.make(parts) }
            return { call in
                services[call.number / Self.callsAtOnce % clients](HTTPRequest(Self.api))
            }
        }
        return Outcome(run: run, renewals: tally.all)
    }

    /// The times of all calls: in each second, every client has its own instant.
    private var callTimes: [Duration] {
        (0..<Self.duration * clients).flatMap { turn in
            repeatElement(Duration.seconds(turn) / clients, count: Self.callsAtOnce)
        }
    }

    /// A host with four workers; they need half a second to answer a full queue.
    private var tokenServer: HostSettings {
        var host = HostSettings(
            serviceTime: .exponential(mean: .nanoseconds(20_000_000_000 / Int64(clients))))
        host.workers = 4
        host.queueLimit = clients / 10
        host.latency = .constant(.milliseconds(5))
        return host
    }

    private static let apiServer: HostSettings = {
        var host = HostSettings(serviceTime: .constant(.milliseconds(5)))
        host.workers = .max
        host.latency = .constant(.milliseconds(5))
        return host
    }()

    private func parts(in world: SimulatedWorld, _ tally: CallTally) -> RenewalRule.Parts {
        let send: RenewalRule.Client = world.fleet.send
        let renewing = stack(.acceptStatus(), over: send)
        return RenewalRule.Parts(
            world: world, send: send,
            renew: { _ in
                tally.add(at: world.scheduler.now)
                return renewing(HTTPRequest(.post, Self.tokens)).map { _ in
                    AccessToken("next", lifetime: .seconds(3_600))
                }
            },
            lifetime: .seconds(Self.lifetime))
    }
}
