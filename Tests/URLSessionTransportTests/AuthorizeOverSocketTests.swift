import Foundation
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import PledgeServices
import PledgeTesting
import PledgeURLSessionTransport
import TestSupport
import Testing

/// `.authorize` over a real connection.
@Suite(.oneAtATime)
struct AuthorizeOverSocketTests {
    private let send = SessionTransport(session: URLSession(configuration: .patient)).send

    @Test func aThousandRefusedRequestsShareOneRefresh() async throws {
        let allAreSent = Promise<Void>()
        let server = try LoopbackServer(answeringLater: { request in
            if request.target == "/token" {
                return Future(value: .text(#"{"access_token": "new"}"#))
            }
            let isLetIn = request.header("Authorization") == "Bearer new"
            if isLetIn { return Future(value: .text(request.target)) }
            return allAreSent.map { .text("who?", status: 401) }
        })
        let (send, url) = (send, server.url)
        let refresher = TokenRefresher(AccessToken("old")) { _ in
            send(HTTPRequest(.post, url.appending(path: "token")))
                .map { try JSONDecoder().decode(AccessToken.self, from: $0.body) }
        }
        let api = stack(
            .authorize(.bearer(from: refresher), for: .origins(of: url)), over: send)

        let all = (0..<1_000).map { api(HTTPRequest(.get, url.appending(path: "\($0)"))) }
        allAreSent.resolve()

        for (index, future) in all.enumerated() {
            #expect(try await future.value.text == "/\(index)")
        }
        let requests = server.requests
        #expect(requests.count { $0.target == "/token" } == 1)
        #expect(requests.count { $0.header("Authorization") == "Bearer old" } == 1_000)
        let again = requests.filter { $0.header("Authorization") == "Bearer new" }
        #expect(again.count == 1_000)
        #expect(Set(again.map(\.target)).count == 1_000)
    }
}
