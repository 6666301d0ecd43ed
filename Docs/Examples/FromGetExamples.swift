// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import Testing

/// The code of Docs/Guides/FromGet.md.
@Suite struct FromGetExamples {
    private let transport = MemoryTransport(routes: [
        .get("/user", answer: .json(GitHubUser(login: "ada"))),
        .post("/user/emails", answer: .status(201)),
    ])

    private func HTTPClient(base: URL?) -> HTTPClients.HTTPClient {
        HTTPClients.HTTPClient(base: base, over: transport)
    }

    @Test func typedRequests() async throws {
        // snippet: client
        let client = HTTPClient(base: URL(string: "https://api.github.com"))
        let user = try await client.value(of: .user)
        _ = try await client.networking(.emails(["ada@example.com"])).value
        // end snippet
        #expect(user == GitHubUser(login: "ada"))
        let emails = try HTTPRequest.Body.json(["ada@example.com"])
        #expect(transport.calls.last?.request?.body == emails)
    }
}

// snippet: request
/// An endpoint, and the type of its answer.
struct Request<Response: Decodable & Sendable>: Sendable {
    var endpoint: Endpoint
}

extension HTTPClient {
    func value<Response>(of request: Request<Response>) async throws -> Response {
        try await decoded(request.endpoint).value
    }
}
// end snippet

// snippet: paths
struct GitHubUser: Codable, Equatable, Sendable {
    var login: String
}

extension Request where Response == GitHubUser {
    static var user: Self { Self(endpoint: Endpoint(path: "/user")) }
}

extension Endpoint {
    static func emails(_ emails: [String]) throws -> Endpoint {
        Endpoint(path: "/user/emails", method: .post, body: try .json(emails))
    }
}
// end snippet
