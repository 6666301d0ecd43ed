import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import PledgeServices
import TestSupport

extension OrderSite {
    /// A refresher that detects refreshes that are too frequent.
    mutating func refresher() -> TokenRefresher {
        let (server, scheduler, random) = (server, scheduler, random())
        func token() -> AccessToken {
            AccessToken(
                server.secrets.plant(in: "access token", for: OrderServer.host),
                lifetime: .seconds(number(1...20)),
                refreshToken: server.secrets.plant(in: "refresh token", for: OrderServer.host))
        }
        let first = token()
        let (leeway, grace) = (Duration.seconds(number(0...2)), Duration.seconds(number(0...2)))
        let isDead = Locked(false)
        /// The time until which the last token is valid, so that a 401 does not refute it.
        let kept = Locked(Duration.zero)
        return TokenRefresher(first, leeway: leeway, grace: grace, on: scheduler) { token in
            if isDead.withLock({ $0 }) {
                server.note(OrderFault(.deadTokensAreNotSent, "it was asked for once more"))
            }
            if scheduler.now.offset < kept.withLock({ $0 }) {
                server.note(OrderFault(.youngTokensAreKept, "a young token was renewed"))
            }
            if random.happens(withProbability: 0.1) {
                isDead.withLock { $0 = true }
                return Future(error: TokenRefresher.InvalidGrant())
            }
            return Self.renew(token, server).onSuccess { token in
                let life = token.lifetime ?? .zero
                let end = min(grace, life - min(leeway, life / 2))
                kept.withLock { $0 = scheduler.now.offset + end }
            }
        }
    }

    private static func renew(_ token: AccessToken, _ server: OrderServer) -> Future<AccessToken> {
        let form = [URLQueryItem(name: "refresh_token", value: token.refreshToken)]
        let request = HTTPRequest(.post, OrderServer.tokenURL, body: .form(form))
        return server.send(request).map { response in
            guard response.status == 200 else {
                throw HTTPError(code: .unacceptableStatus, request: request, response: response)
            }
            return try JSONDecoder().decode(AccessToken.self, from: response.body)
        }
    }
}
