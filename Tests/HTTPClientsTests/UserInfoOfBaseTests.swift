import Foundation
import Pledge
import PledgeTesting
import Testing

/// A user and a password in the URL of `base`.
@Suite struct UserInfoOfBaseTests {
    private let lines = MemoryLines()
    private let transport = MemoryTransport(routes: [
        .get("/v1/moved", answer: .status(302, headers: ["Location": "https://b.example/there"])),
        .any("/there", answer: .text("there")), .any("/v1/:any", answer: .text("here")),
    ])
    private var sent: [HTTPRequest] { transport.calls.compactMap(\.request) }

    private func client(_ base: String) -> HTTPClient {
        var client = HTTPClient(base: URL(string: base)!, over: transport)
        client.log = .init(headers: true, events: true) { [lines] in lines.add($0) }
        return client
    }

    private func header(_ text: String) -> String {
        "Basic \(Data(text.utf8).base64EncodedString())"
    }

    @Test(arguments: [
        ("ada:s3cret-word", "ada:s3cret-word"), ("ada:s%3Acr%C3%A9t%40", "ada:s:crét@"),
        ("t0ken-as-user", "t0ken-as-user:"), (":only-a-word", ":only-a-word"), ("ada:", "ada:"),
    ])
    func areSentAsBasicAuthorization(_ info: String, _ text: String) async throws {
        let client = client("https://\(info)@a.example:8443/v1?key=1")
        let response = try await client.get("/x")
        #expect(sent[0].headers["Authorization"] == header(text))
        #expect(sent[0].url.absoluteString == "https://a.example:8443/v1/x?key=1")
        #expect(response.url?.absoluteString == "https://a.example:8443/v1/x?key=1")
        _ = try await client.stream("/x")
        #expect(sent[1].headers["Authorization"] == header(text))
    }

    @Test func showInNoText() async throws {
        let client = client("https://ada:s3cret-word@a.example/v1")
        let response = try await client.get("/x")
        let basic = Data("ada:s3cret-word".utf8).base64EncodedString()
        var text = "\(client) \(response) \(sent) \(lines.all)"
        dump(client, to: &text)
        dump(response, to: &text)
        #expect(lines.all.contains { $0.contains("https://a.example/v1/x") })
        #expect(!text.contains("s3cret") && !text.contains(basic))
    }

    @Test func areForTheOriginOfTheBaseOnly() async throws {
        let client = client("https://ada:word@a.example/v1")
        #expect(try await client.get("/moved").body == Data("there".utf8))
        #expect(sent.map { $0.headers["Authorization"] != nil } == [true, false])
    }

    @Test func authorizationStandsInForThem() async throws {
        var client = client("https://ada:word@a.example/v1")
        client.authorization = .bearer("t")
        try await client.get("/x")
        #expect(sent[0].headers["Authorization"] == "Bearer t")
        #expect(sent[0].url.absoluteString == "https://a.example/v1/x")
    }

    @Test func aBaseWithoutThemIsSentAsItIs() async throws {
        let client = client("https://a.example/v1")
        try await client.get("/@x:y")
        #expect(sent[0].headers["Authorization"] == nil)
        #expect(sent[0].url.absoluteString == "https://a.example/v1/@x:y")
    }
}

/// Lines of a log.
private final class MemoryLines: Sendable {
    private let lines = Locked<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
