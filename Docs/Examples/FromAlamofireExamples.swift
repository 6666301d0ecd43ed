// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import Testing

/// The code of Docs/Guides/FromAlamofire.md.
@Suite struct FromAlamofireExamples {
    // snippet: user
    struct User: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }
    // end snippet

    @Test func session() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: session
        func session(
            over transport: some HTTPTransport, tokens: TokenRefresher
        ) -> HTTPClient {
            var client = HTTPClient(base: URL(string: "https://shop.example"), over: transport)
            client.authorization = .bearer(from: tokens)  // AuthenticationInterceptor
            client.retry = .init(attempts: 3)  // RetryPolicy(retryLimit: 2)
            client.aroundAttempt = .init { request in  // RequestAdapter
                var request = request
                request.headers["X-App"] = "Shop"
                return request
            }
            client.log = .init { line in print(line) }  // EventMonitor
            return client
        }
        // end snippet
        // snippet: request
        let tokens = TokenRefresher(AccessToken("t0ken")) { _ in
            Future(error: TokenRefresher.InvalidGrant())  // the Authenticator's refresh
        }
        let shop = MemoryTransport(routes: [
            .get("/users/7", answer: .json(User(id: 7, name: "Ada"))),
            .get("/busy", answer: .sequence([.status(503), .text("8")])),
        ])
        let client = session(over: shop, tokens: tokens)
        let loading: Future<User> = client.decoded(Endpoint(path: "/users/7"))
        loading.observe { result in print("\(result.map(\.name))") }
        // end snippet
        #expect(lines.lines.last == "success(\"Ada\")")
        #expect(lines.lines.count == 2)

        let scheduler = ManualScheduler()
        var patient = client
        patient.scheduler = scheduler
        let busy: Future<Int> = patient.decoded(Endpoint(path: "/busy"))
        scheduler.advance(by: .seconds(1))
        #expect(try busy.settledValue() == 8)
        let sent = shop.calls.compactMap(\.request)
        #expect(sent.map { $0.headers["X-App"] } == ["Shop", "Shop", "Shop"])
        #expect(sent.allSatisfy { $0.headers["Authorization"] == "Bearer t0ken" })
    }
}
