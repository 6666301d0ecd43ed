// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import Testing

/// The code of Docs/Guides/FromMoya.md.
@Suite struct FromMoyaExamples {
    // snippet: user
    struct User: Codable, Equatable, Sendable {
        var login: String
    }
    // end snippet

    @Test func target() throws {
        // snippet: provider
        let stub = MemoryTransport(routes: [
            .get("/zen", answer: .text("Keep it logically awesome.")),
            .get("/users/:name", answer: .json(User(login: "ada"))),
        ])
        let provider: @Sendable (GitHub) -> Future<Data> = chain(
            { target in target.endpoint }, to: stub.request)

        let user: Future<User> = provider(.user("ada")).decoded()
        let zen = provider(.zen).map { data in String(decoding: data, as: UTF8.self) }
        // end snippet
        #expect(try user.settledValue() == User(login: "ada"))
        #expect(try zen.settledValue() == "Keep it logically awesome.")
        #expect(GitHub.user("a/b").endpoint.path == "/users/a%2Fb")
    }

    @Test func plugin() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        let stub = MemoryTransport(routes: [.get("/zen", answer: .text("Keep it simple."))])
        // snippet: plugin
        let plugin = Middleware<Endpoint, Data> { next in
            { endpoint in
                print("willSend \(endpoint.path)")
                return next(endpoint).always { print("didReceive") }
            }
        }
        let network = stack(plugin, over: stub.request)
        // end snippet
        _ = try network(Endpoint(path: "/zen")).settledValue()
        #expect(lines.lines == ["willSend /zen", "didReceive"])
    }
}

// snippet: target
enum GitHub: Sendable {
    case zen
    case user(String)

    var endpoint: Endpoint {
        switch self {
        case .zen: Endpoint(path: "/zen")
        case .user(let name): Endpoint(path: "/users/\(name)")
        }
    }
}
// end snippet
