// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import Testing

/// The code of Docs/Guides/ComingFrom.md.
@Suite struct ComingFromExamples {
    // snippet: target
    struct User: Codable, Equatable, Sendable {
        var login: String
    }

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

    private let transport = MemoryTransport(routes: [
        .get("/zen", answer: .text("Keep it logically awesome.")),
        .get("/users/:name", answer: .json(User(login: "ada"))),
        .get("/user", answer: .json(User(login: "grace"))),
    ])

    private func HTTPClient(base: URL?) -> PledgeHTTPClients.HTTPClient {
        PledgeHTTPClients.HTTPClient(base: base, over: transport)
    }

    @Test func targetsAndTypedRequests() async throws {
        // snippet: provider
        let client = HTTPClient(base: URL(string: "https://api.github.com"))
        let provider: @Sendable (GitHub) -> Future<Data> = { target in
            client.networking(target.endpoint)
        }
        let ada: Future<User> = provider(.user("ada")).decoded()
        // end snippet
        #expect(try await ada.value == User(login: "ada"))
        let zen = try await provider(.zen).value
        #expect(String(decoding: zen, as: UTF8.self) == "Keep it logically awesome.")
        // snippet: typed
        let me = Request<User>(endpoint: Endpoint(path: "/user"))
        let user = try await client.value(of: me)
        // end snippet
        #expect(user == User(login: "grace"))
    }
}

// snippet: request
/// An endpoint, and the type of its answer.
struct Request<Response: Decodable & Sendable>: Sendable {
    var endpoint: Endpoint
}

extension HTTPClient {
    func value<Response>(of request: Request<Response>) async throws -> Response {
        try await send(request.endpoint)
    }
}
// end snippet
