import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeServices
import PledgeSimulation

/// A rule for the time at which a client gets its next token.
struct RenewalRule: Sendable {
    typealias Client = Service<HTTPRequest, HTTPResponse>

    /// The parts to build a client from.
    struct Parts {
        let world: SimulatedWorld
        /// Sends a request to the API.
        let send: Client
        /// Fetches a new token.
        let renew: @Sendable (AccessToken) -> Future<AccessToken>
        /// The time for which the first token is valid.
        let lifetime: Duration

        /// Returns a client with the library's refresher.
        func refreshed(leeway: Duration, lifetime: Duration? = nil) -> Client {
            let refresher = TokenRefresher(
                AccessToken("first", lifetime: lifetime ?? self.lifetime), leeway: leeway,
                on: world.scheduler, refresh: renew)
            let api = HTTPOrigins.origins(of: TokenHerd.api)
            return stack(.authorize(.bearer(from: refresher), for: api), over: send)
        }

        /// Draws a duration between two others, anew for each client.
        func draw(from least: Duration, to most: Duration) -> Duration {
            least + .uniform(upTo: most - least, bits: world.random.next())
        }
    }

    let name: String
    let make: @Sendable (Parts) -> Client
}

extension RenewalRule {
    static let all: [RenewalRule] = [
        RenewalRule(name: "at its end, by each call") { $0.renewingForEachCall() },
        RenewalRule(name: "at its end, by each client") { $0.refreshed(leeway: .zero) },
        RenewalRule(name: "10 s before its end") { $0.refreshed(leeway: .seconds(10)) },
        RenewalRule(name: "half of its lifetime before") { $0.refreshed(leeway: .seconds(60)) },
        RenewalRule(name: "0 to 15 s before, drawn") {
            $0.refreshed(leeway: $0.draw(from: .zero, to: .seconds(15)))
        },
        RenewalRule(name: "5 to 15 s before, drawn") {
            $0.refreshed(leeway: $0.draw(from: .seconds(5), to: .seconds(15)))
        },
        RenewalRule(name: "lifetimes of 20 to 30 s, drawn") {
            $0.refreshed(
                leeway: .seconds(5), lifetime: $0.draw(from: .seconds(20), to: .seconds(30)))
        },
    ]
}

extension RenewalRule.Parts {
    /// Returns a client without a refresher.
    ///
    /// Each call that finds the token expired fetches a new one.
    func renewingForEachCall() -> RenewalRule.Client {
        let scheduler = world.scheduler
        let expiry = Locked(scheduler.now.advanced(by: lifetime))
        return { [send, renew] request in
            if scheduler.now < expiry.withLock({ $0 }) { return send(request) }
            return renew(AccessToken("old")).flatMap { token in
                let lifetime = token.lifetime ?? .zero
                expiry.withLock { $0 = scheduler.now.advanced(by: lifetime) }
                return send(request)
            }
        }
    }
}
