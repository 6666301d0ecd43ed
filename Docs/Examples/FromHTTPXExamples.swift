// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import Testing

/// The code of Docs/Guides/FromHTTPX.md.
@Suite struct FromHTTPXExamples {
    // snippet: user
    struct User: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }
    // end snippet

    @Test func client() async throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: client
        let server = URL(string: "https://shop.example")!
        let handler: HTTPService = { request in  // httpx.MockTransport(handler)
            guard request.url.path == "/users/7" else {
                return Future(value: HTTPResponse(status: 404))
            }
            return Future(
                value: HTTPResponse(
                    status: 200, body: Data(#"{"id": 7, "name": "Ada"}"#.utf8)))
        }
        var client = HTTPClient(base: server, over: handler)
        client.headers = ["Accept": "application/json"]
        client.attemptTimeout = .seconds(5)

        let response = try await client.send(HTTPRequest(server.appending(path: "users/7"))).value
        let user: User = try response.decoded()
        print("\(response.status) \(user.name)")

        let missing = client.send(HTTPRequest(server.appending(path: "users/8")))
        print("\(try await missing.value.status)")  // a status is no error here
        _ = missing.map { response in try response.acceptedBody() }  // raise_for_status()
            .onFailure { error in print("\(error)") }
        // end snippet
        #expect(
            lines.lines == [
                "200 Ada", "404", "GET https://shop.example/users/8 answered 404",
            ])
    }

    @Test func gather() async throws {
        let client = HTTPClients.HTTPClient(
            base: URL(string: "https://shop.example"),
            over: MemoryTransport(routes: [
                .get("/users/:id", answer: .json(User(id: 7, name: "Ada")))
            ]))
        // snippet: gather
        let load = { @Sendable [networking = client.networking] (id: Int) -> Future<User> in
            networking(Endpoint(path: "/users/\(id)")).decoded()
        }
        let users = try await Future.all([7, 8, 9].map(load)).value  // asyncio.gather
        // end snippet
        #expect(users.count == 3)
    }
}
