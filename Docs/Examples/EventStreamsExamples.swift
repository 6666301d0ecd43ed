// snippet: imports
import Foundation
import Pledge
// end snippet
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/EventStreams.md.
@Suite(.oneAtATime)
struct EventStreamsExamples {
    private let lines = ExampleLog()
    private let scheduler = ManualScheduler()

    private static func events(_ text: String) -> MemoryTransport.Answer {
        .status(200, headers: ["Content-Type": "text/event-stream"], body: Data(text.utf8))
    }

    private let site = MemoryTransport(routes: [
        .get(
            "/news",
            answer: .sequence([
                events("id: 1\ndata: Rain\n\n"), events("id: 2\ndata: Sun\n\n"), .status(204),
            ])),
        .get(
            "/prices",
            answer: .sequence([
                events("data: {\"cents\":120}\n\ndata: {\"cents\":95}\n\n"), .status(204),
            ])),
        .post(
            "/chat",
            answer: events(
                "data: {\"text\":\"Good\"}\n\ndata: {\"text\":\" day\"}\n\ndata: [DONE]\n\n")),
        .get("/log", answer: .text("{\"text\":\"started\"}\n\n{\"text\":\"stopped\"}\n")),
    ])

    private func HTTPClient(base: URL?) -> PledgeHTTPClients.HTTPClient {
        var client = PledgeHTTPClients.HTTPClient(base: base, over: site)
        client.scheduler = scheduler
        // The test's time runs on while a call waits for a processor.
        (client.attemptTimeout, client.deadline) = (nil, nil)
        return client
    }

    private var client: PledgeHTTPClients.HTTPClient {
        HTTPClient(base: URL(string: "https://news.example.com")!)
    }

    private var print: @Sendable (Any) -> Void { { [lines] in lines.add("\($0)") } }

    /// Runs an example, while all waits pass.
    private func run(_ example: @escaping @Sendable () async throws -> Void) async throws {
        let end = Future { try await example() }
        #expect(
            await comesTrue {
                scheduler.run()
                return end.isSettled
            })
        try await end.soon
    }

    private func expectOutput() throws {
        try RecipePage(path: "Docs/Guides/EventStreams.md").expectOutput(lines)
    }

    @Test func first() async throws {
        let print = print
        try await run {
            // snippet: first
            let client = HTTPClient(base: URL(string: "https://news.example.com")!)

            for try await event in client.events("/news") {
                print("\(event.id): \(event.data)")
            }
            // end snippet
        }
        try expectOutput()
        #expect(lines.lines == ["1: Rain", "2: Sun"])
        let ids = site.calls.map { $0.request?.headers["Last-Event-ID"] }
        #expect(ids == [nil, "1", "2"])
    }

    @Test func rules() async throws {
        let (client, print) = (client, print)
        try await run {
            // snippet: rules
            let patient = client.events(
                "/news", reconnecting: .init(delay: .seconds(1), maxDelay: .seconds(60)),
                idleTimeout: .seconds(300))
            // end snippet
            for try await event in patient { print(event.data) }
        }
        #expect(lines.lines == ["Rain", "Sun"] && scheduler.now.offset < .seconds(3))
    }

    @Test func nextRun() async throws {
        let client = client
        try await run {
            // snippet: next-run
            var lastEventID = "41"  // from a file, or a database

            for try await event in client.events("/news", after: lastEventID) {
                lastEventID = event.id  // keep it once the event is processed
            }
            // end snippet
            #expect(lastEventID == "2")
        }
        #expect(site.calls.first?.request?.headers["Last-Event-ID"] == "41")
    }

    // snippet: price
    struct Price: Decodable {
        var cents: Int
    }
    // end snippet

    @Test func decoded() async throws {
        let (client, print) = (client, print)
        try await run {
            // snippet: decoded
            for try await price in client.events("/prices").decoded(as: Price.self) {
                print(price.cents)
            }
            // end snippet
        }
        #expect(lines.lines == ["120", "95"])
        try expectOutput()
    }

    // snippet: word
    struct Word: Decodable {
        var text: String
    }
    // end snippet

    @Test func chat() async throws {
        let client = client
        try await run { [lines] in
            // snippet: chat
            let question = Endpoint(
                path: "/chat", method: .post, body: try .json(["question": "How are you?"]))

            var answer = ""
            for try await event in client.events(question, until: "[DONE]") {
                answer += try event.decoded(as: Word.self).text
            }
            // end snippet
            lines.add(answer)
        }
        #expect(lines.lines == ["Good day"] && site.calls.count == 1)
    }

    @Test func log() async throws {
        // snippet: log
        let response = try await client.stream(Endpoint(path: "/log"))
        for try await entry in response.jsonLines(as: Word.self) { print(entry.text) }
        // end snippet
        #expect(lines.lines == ["started", "stopped"])
        try expectOutput()
    }
}
