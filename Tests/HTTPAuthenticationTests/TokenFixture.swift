import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices

/// A server with one valid token, and a refresher whose refreshes the test ends.
final class TokenFixture: Sendable {
    let scheduler = ManualScheduler()
    private let good = Locked("t1")
    private let refreshes = Locked<[Promise<AccessToken>]>([])
    private let changes = Locked<[String?]>([])
    private let made = Locked<TokenRefresher?>(nil)

    let server: ScriptedServer

    init(_ token: AccessToken? = AccessToken("t1"), leeway: Duration = .seconds(60)) {
        let good = good
        server = ScriptedServer { request in
            let isLetIn = request.headers["Authorization"] == "Bearer \(good.withLock { $0 })"
            return HTTPResponse(status: isLetIn ? 200 : 401, url: request.url)
        }
        let (refreshes, changes) = (refreshes, changes)
        let refresher = TokenRefresher(
            token, leeway: leeway, on: scheduler,
            onChange: { token in changes.withLock { $0.append(token?.value) } },
            refresh: { _ in
                let promise = Promise<AccessToken>()
                refreshes.withLock { $0.append(promise) }
                return promise
            })
        made.withLock { $0 = refresher }
    }

    var refresher: TokenRefresher { made.withLock { $0! } }

    /// The number of refreshes that have begun.
    var begun: Int { refreshes.withLock { $0.count } }

    /// The changes that were reported.
    var told: [String?] { changes.withLock { $0 } }

    /// The headers that were sent, in order.
    var sent: [String?] { server.requests.map { $0.headers["Authorization"] } }

    /// Makes this the only valid token.
    func expect(_ token: String) { good.withLock { $0 = token } }

    /// Ends the last refresh.
    func end(with token: AccessToken) {
        refreshes.withLock { $0.last }?.resolve(with: token)
    }

    /// Fails the last refresh.
    func fail(with error: any Error) { refreshes.withLock { $0.last }?.reject(with: error) }

    /// The service that sends through the refresher to its server.
    var send: HTTPService { send(over: server.send) }

    func send<Output>(
        over service: @escaping Service<HTTPRequest, Output>
    ) -> Service<HTTPRequest, Output> where Output: HTTPResponseHead {
        stack(.authorize(.bearer(from: refresher), for: .origins(of: Self.url)), over: service)
    }

    static let url = HTTPRequest(at: "https://api.example.com").url

    /// A request of the server.
    static func request(_ path: String = "/", once: Bool = false) -> HTTPRequest {
        var request = HTTPRequest(once ? .post : .get, at: "https://api.example.com\(path)")
        if once {
            request.body = .stream(.init(isReplayable: false) { HTTPBodyStream(.init()) })
        }
        return request
    }
}
