import Foundation
import PledgeServices
import Testing

@testable import PledgeHTTPNetworking

@Suite struct ServerSentEventParserTests {
    private func events(of lines: [String], limit: Int = 100) throws -> [ServerSentEvent] {
        var parser = ServerSentEventParser(limit: limit)
        return try lines.compactMap { try parser.event(endedBy: $0) }
    }

    @Test(arguments: [
        (["data: one", ""], "one"), (["data:one", ""], "one"), (["data:  one", ""], " one"),
        (["data: one", "data: two", ""], "one\ntwo"), (["data", ""], ""),
        (["data:", "data:", ""], "\n"),
        ([": a comment", "data: a: b", ""], "a: b"), (["\u{FEFF}data: one", ""], "one"),
        (["dataset: no", "data: one", "Data: no", ""], "one"),
    ])
    func dataIsJoinedByLineFeeds(lines: [String], data: String) throws {
        #expect(try events(of: lines) == [ServerSentEvent(data: data)])
    }

    /// A mark joins the character before it, but neither the colon nor the space is a part of the value.
    @Test(arguments: ["\u{301}a", "\u{200D}a", "\u{FE0F}"])
    func aValueMayBeginWithACombiningCharacter(value: String) throws {
        for line in ["data:\(value)", "data: \(value)"] {
            let found = try events(of: [line, "id:\(value)", ""])
            #expect(found.map { Array($0.data.utf8) } == [Array(value.utf8)])
        }
        let found = try events(of: ["event: \(value)", "id: \(value)", "data", ""]).first
        #expect(found.map { Array($0.id.utf8) } == Array(value.utf8))
        #expect(found.map { Array($0.type.utf8) } == Array(value.utf8))
    }

    @Test func anEventHasItsTypeAndTheLastID() throws {
        let found = try events(of: [
            "id: 1", "event: add", "data: a", "", "data: b", "", "id", "data: c", "",
            "id: 2\u{0}", "data: d", "",
        ])
        #expect(
            found == [
                ServerSentEvent(type: "add", data: "a", id: "1"),
                ServerSentEvent(data: "b", id: "1"),
                ServerSentEvent(data: "c"), ServerSentEvent(data: "d"),
            ])
    }

    @Test(arguments: ["2\u{1}", "\u{7F}", "2\u{85}", "2\u{FFFD}", "\u{1B}[0m"])
    func anIDThatNoHeaderMayHoldIsIgnored(id: String) throws {
        let found = try events(of: ["id: 1", "data: a", "", "id: \(id)", "data: b", ""])
        #expect(found.map(\.id) == ["1", "1"])
    }

    @Test(arguments: ["a b", "é", "\t7", "2;x=\"y\""])
    func anyOtherIDIsTheServers(id: String) throws {
        #expect(try events(of: ["id: \(id)", "data: a", ""]).map(\.id) == [id])
    }

    @Test func aTypeWithoutDataIsNoEventAndIsForgotten() throws {
        let found = try events(of: ["event: add", "id: 7", "", "data: a", "", "", ": ping", ""])
        #expect(found == [ServerSentEvent(data: "a", id: "7")])
    }

    @Test func aRetryIsANumberOfMilliseconds() throws {
        let found = try events(of: [
            "retry: 1500", "data: a", "", "retry: soon", "retry:", "retry: -1",
            "retry: 99999999999999999999", "data: b", "",
        ])
        #expect(found.map(\.retry) == [.milliseconds(1_500), .milliseconds(1_500)])
    }

    @Test func anEventThatHasNotEndedIsNone() throws {
        #expect(try events(of: ["data: a"]).isEmpty)
    }

    @Test func dataThatIsTooLongIsAnError() throws {
        // Each line of data counts including its line feed.
        #expect(try events(of: ["data: 1234", "data: 567", ""], limit: 8).count == 1)
        let error = #expect(throws: HTTPError.self) {
            try events(of: ["data: 1234", "data: 5678", ""], limit: 8)
        }
        #expect(error?.code == .bodyTooLarge)
    }

    @Test func noTextTraps() throws {
        let random = RandomSource.seeded(9)
        let parts = [
            "data", "id", "retry", "event", ":", " ", "", "\u{0}", "\u{FEFF}", "1", "ä", "x",
        ]
        var parser = ServerSentEventParser(limit: 1_000)
        var ended = 0
        for _ in 0..<20_000 {
            let line = (0..<(random.next() % 5)).map { _ in parts[Int(random.next() % 12)] }
                .joined()
            if let event = try? parser.event(endedBy: line) {
                ended += 1
                #expect(line.isEmpty || line == "\u{FEFF}")
                #expect(!event.type.isEmpty && !event.id.contains("\u{0}"))
            }
        }
        #expect(ended > 100)
    }
}
