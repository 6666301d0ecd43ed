import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

@Suite struct HTTPClientMethodsTests {
    private struct User: Codable, Equatable, Sendable {
        var id = 7
        var name = "Ann"
    }

    private let server = URL(string: "https://api.example.com/v1")!
    private let transport = MemoryTransport(routes: [
        .any("/v1/users/:id", answer: .text(#"{"id": 7, "name": "Ann"}"#)),
        .any("/v1/missing", answer: .status(404)),
    ])
    private var client: HTTPClient { HTTPClient(base: server, over: transport) }
    private var sent: [HTTPRequest] { transport.calls.compactMap(\.request) }

    @Test func aCallReturnsWhatIsAskedFor() async throws {
        let id = "7?x"
        let user: User = try await client.get(
            "/users/\(id)", query: ["page": 2, "q": nil as String?])
        #expect(user == User())
        #expect(sent[0].url.absoluteString == "https://api.example.com/v1/users/7%3Fx?page=2")
        let response = try await client.get("/users/7", headers: ["X-A": "b"])
        #expect(response.status == 200 && sent[1].headers["X-A"] == "b")
        let data: Data = try await client.get("/users/7")
        #expect(data == response.body)
        try await client.delete("/users/7")
        try await client.head("/users/7")
        #expect(sent.suffix(2).map(\.method) == [.delete, .head])
    }

    @Test func whereAFutureIsWantedTheSameWordsReturnOne() async throws {
        let user: Future<User> = client.get("/users/7")
        let response: Future<HTTPResponse> = client.delete("/users/7")
        let data: Future<Data> = client.put("/users/7", json: User())
        let name = client.get("/users/7")
            .flatMap { [client] (response: HTTPResponse) in client.get("/users/\(response.status)")
            }
            .map { (user: User) in user.name }
        #expect(try await user.value == User())
        #expect(try await response.value.status == 200)
        #expect(try await data.value.count == 24)
        #expect(try await name.value == "Ann")
        #expect(sent.last?.url.lastPathComponent == "200")
    }

    /// Not in an async function.
    @Test func withoutAwait() throws {
        let user: Future<User> = client.patch("/users/7", form: ["name": "Ann & Bob", "n": 1.5])
        let status = client.get("/users/7").map { (response: HTTPResponse) in response.status }
        #expect(try user.settledValue() == User())
        #expect(try status.settledValue() == 200)
        #expect(sent[0].body.data == Data("name=Ann+%26+Bob&n=1.5".utf8))
        #expect(sent[0].method == .patch)
    }

    @Test func bodiesOfEachKind() async throws {
        struct Draft: Encodable { var whenSent = Date(timeIntervalSince1970: 0) }
        var client = client
        client.json = JSONCoding(encoding: {
            $0.keyEncodingStrategy = .convertToSnakeCase
            $0.dateEncodingStrategy = .iso8601
        })
        try await client.post("/users/7", json: Draft())
        #expect(sent[0].body.data == Data(#"{"when_sent":"1970-01-01T00:00:00Z"}"#.utf8))
        #expect(sent[0].effectiveHeaders["Content-Type"] == "application/json")
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("text".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let headers: HTTPHeaders = ["Content-Type": "text/plain"]
        try await client.put("/users/7", headers: headers, file: file)
        #expect(sent[1].effectiveHeaders["Content-Type"] == "text/plain")
        let parts = Multipart([.text("a", "b"), .file("f", file)])
        let user: User = try await client.post("/users/7", multipart: parts)
        #expect(user == User())
        #expect(sent[2].body.contentType == parts.contentType)
    }

    @Test func whatFails() async throws {
        let error = await #expect(throws: HTTPError.self) { try await client.get("/missing") }
        #expect(error?.status == 404 && error?.endpoint?.path == "/missing")
        await #expect(throws: DecodingFailure.self) {
            let _: [Int] = try await client.get("/users/7")
        }
        await #expect(throws: Endpoint.Error.severalBodies) {
            try await client.post("/users/7", json: 1, form: [:])
        }
        await #expect(throws: EncodingError.self) {
            try await client.post("/users/7", json: Double.nan)
        }
        await #expect(throws: Endpoint.Error.invalidURL) { try await client.get("/users/\("..")") }
        #expect(sent.count == 2)
    }

    /// A password in a form, a key in a query.
    @Test func aQuerysTextHasNoValue() {
        let query: Endpoint.Query = ["user": "ann", "password": "s3cret"]
        var dumped = ""
        dump(query, to: &dumped)
        for text in ["\(query)", String(reflecting: query), dumped] {
            #expect(
                text.contains("password=…") && !text.contains("s3cret") && !text.contains("ann"))
        }
    }

    @Test func anErrorBeneathNamesTheRequestWithItsBody() async throws {
        let client = HTTPClient(base: server) { _ in
            Future(error: HTTPError(code: .cannotConnect))
        }
        let parts = Multipart([.text("a", "b")])
        let error = await #expect(throws: HTTPError.self) {
            try await client.post("/users/7", multipart: parts)
        }
        #expect(error?.request?.body.contentType == parts.contentType)
    }

    @Test func cancellingTheTaskCancelsTheCall() async throws {
        let network = MockNetwork()
        let client = HTTPClient(base: server, over: network.send)
        let task = Task { let _: User = try await client.get("/users/7") }
        let call = try await network.next()
        task.cancel()
        try await call.cancellation.value
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// A model that only the main actor may decode.
    @MainActor
    private struct Screen: @MainActor Decodable, Equatable { var name: String }

    @MainActor
    @Test func aModelOfTheMainActorIsDecodedThere() async throws {
        let screen: Screen = try await client.get("/users/7")
        #expect(screen == Screen(name: "Ann"))
    }

    private actor Cache {
        var user: User?
        func load(_ client: HTTPClient) async throws { user = try await client.get("/users/7") }
    }

    @Test func anActorKeepsWhatItAsksFor() async throws {
        let cache = Cache()
        try await cache.load(client)
        #expect(await cache.user == User())
    }
}
