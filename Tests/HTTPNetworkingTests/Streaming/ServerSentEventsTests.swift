import Foundation
import PledgeFutures
import PledgeServices
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPTransportKit

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
    func theDataOfAnEventIsJoinedByLineFeeds(lines: [String], data: String) throws {
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
    func anyIDThatAHeaderMayHoldIsKept(id: String) throws {
        #expect(try events(of: ["id: \(id)", "data: a", ""]).map(\.id) == [id])
    }

    @Test func aTypeWithoutDataIsNoEventAndIsForgotten() throws {
        let found = try events(of: ["event: add", "id: 7", "", "data: a", "", "", ": ping", ""])
        #expect(found == [ServerSentEvent(data: "a", id: "7")])
    }

    @Test func aRetryIsANumberOfMilliseconds() throws {
        let found = try events(of: [
            "retry: 1500", "data: a", "", "retry: soon", "retry:", "retry: -1",
            "retry: 1 2", "retry: ٣", "retry: +1", "retry: 1.5", "data: b", "",
        ])
        #expect(found.map(\.retry) == [.milliseconds(1_500), .milliseconds(1_500)])
    }

    @Test func aHugeRetryIsBoundedAndDoesNotTrap() throws {
        for digits in ["2147483648", "9223372036854775807", "99999999999999999999999999999"] {
            let found = try events(of: ["retry: \(digits)", "data: a", ""])
            #expect(found.map(\.retry) == [.milliseconds(Int64(1) << 31)])
        }
        #expect(try events(of: ["retry: 0007", "data", ""]).map(\.retry) == [.milliseconds(7)])
    }

    @Test("a block with only an ID or a retry counts, and an unfinished block's ID does not")
    func aBlockWithOnlyAnIDOrARetryCounts() throws {
        var parser = ServerSentEventParser(limit: 100, lastEventID: "0")
        func read(_ lines: String...) throws -> [ServerSentEvent] {
            try lines.compactMap { try parser.event(endedBy: $0) }
        }
        #expect(try read("data: a", "") == [ServerSentEvent(data: "a", id: "0")])
        #expect(try read("id: 1").isEmpty && parser.lastEventID == "0")
        #expect(try read("").isEmpty && parser.lastEventID == "1")
        #expect(try read("retry: 5").isEmpty && parser.retry == .milliseconds(5))
        #expect(try read("", "data: b", "").map(\.id) == ["1"])
        #expect(try read("id: 2", "data: c").isEmpty && parser.lastEventID == "1")
        #expect(try read("").map(\.id) == ["2"] && parser.lastEventID == "2")
        #expect(try read("id", "").isEmpty && parser.lastEventID == "")
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

    @Test func noTextTrapsTheParserOfEvents() throws {
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

/// The cases of the web platform's own tests for event streams, in our words.
@Suite struct ServerSentEventsOfTheWebTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let events: [ServerSentEvent]
        var lastEventID = ""
        var retry: Duration?

        init(
            _ name: String, _ text: String, _ events: [ServerSentEvent], lastEventID: String = "",
            retry: Duration? = nil
        ) {
            self.init(
                name, Array(text.utf8), events, lastEventID: lastEventID, retry: retry)
        }

        init(
            _ name: String, _ bytes: [UInt8], _ events: [ServerSentEvent],
            lastEventID: String = "", retry: Duration? = nil
        ) {
            testDescription = name
            (self.bytes, self.events) = (bytes, events)
            (self.lastEventID, self.retry) = (lastEventID, retry)
        }
    }

    private static func data(_ texts: String...) -> [ServerSentEvent] {
        texts.map { ServerSentEvent(data: $0) }
    }

    private static let long = String(repeating: "x", count: 2_048)

    private static let noFields: String =
        "data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n"
        + " data:32\ndata:4\n\n"

    private static let invalid: [UInt8] = {
        var bytes = Array("data:a".utf8)
        bytes += [0xFF, 0xE2, 0x80]
        bytes += Array("\ndata:b".utf8)
        bytes += [0xC3, 0x28]
        return bytes + Array("\n\n".utf8)
    }()

    static let cases: [Case] = [
        Case(
            "one byte order mark", "\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n",
            data("1", "3")),
        Case(
            "two byte order marks", "\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3\n\n",
            data("2", "3")),
        Case("a byte order mark alone", "\u{FEFF}\n\ndata:1\n\n", data("1")),
        Case(
            "comments",
            "data:1\r:\0\n:\r\ndata:2\n:\(long)\rdata:3\n:data:no\r:\(long)\ndata:4\n\n",
            data("1\n2\n3\n4")),
        Case(
            "an unfinished last block", "retry:1000\ndata:one\n\nid:test\ndata:two",
            [ServerSentEvent(data: "one", retry: .seconds(1))], retry: .seconds(1)),
        Case(
            "an unfinished last block with a whole line", "data:one\n\nid:test\ndata:two\n",
            data("one")),
        Case("an unfinished retry", "retry:1000\n\nretry:10", [], retry: .seconds(1)),
        Case("data", "data:\n\ndata\ndata\n\ndata:test\n\n", data("", "\n", "test")),
        Case(
            "lines",
            "data:msg\ndata: msg\n\n:\nother:msg\n\nother:msg\nData:data\n\ndata\n\ndata:end\n\n",
            data("msg\nmsg", "", "end")),
        Case(
            "an event's type", "event:one\ndata:x\n\ndata:x\n\n",
            [ServerSentEvent(type: "one", data: "x"), ServerSentEvent(data: "x")]),
        Case("an empty type", "event: \ndata:data\n\n", data("data")),
        Case(
            "an ID persists", "id: 1\ndata: 1\n\ndata:2\n\n",
            [ServerSentEvent(data: "1", id: "1"), ServerSentEvent(data: "2", id: "1")],
            lastEventID: "1"),
        Case(
            "an ID changes", "id: 1\ndata: 1\n\nid: 2\ndata:2\n\ndata:3\n\n",
            [
                ServerSentEvent(data: "1", id: "1"), ServerSentEvent(data: "2", id: "2"),
                ServerSentEvent(data: "3", id: "2"),
            ], lastEventID: "2"),
        Case(
            "an ID is reset", "id: 1\ndata: 1\n\nid:\ndata:2\n\ndata:3\n\n",
            [
                ServerSentEvent(data: "1", id: "1"), ServerSentEvent(data: "2"),
                ServerSentEvent(data: "3"),
            ]),
        Case(
            "an ID that is not ASCII", "id: …\ndata: a\n\n", [ServerSentEvent(data: "a", id: "…")],
            lastEventID: "…"),
        Case(
            "an ID with NUL", "id: \0\0\nretry: 200\ndata: hello\n\n",
            [ServerSentEvent(data: "hello", retry: .milliseconds(200))],
            retry: .milliseconds(200)),
        Case("an ID alone", "id: 7\n\n", [], lastEventID: "7"),
        Case(
            "leading spaces", "data:\ttest\rdata: \ndata:test\n\n", data("\ttest\n\ntest")),
        Case(
            "ends of lines", "data:test\r\ndata\ndata:test\r\n\r", data("test\n\ntest")),
        Case("NUL in data", "data:\0\n\n\n\n", data("\0")),
        Case("names that are no fields", noFields, data("\0\n 2\n1\n3\n\n4")),
        Case(
            "unknown fields", "data:test\n data\ndata\nfoobar:xxx\njusttext\n:a comment\n\n",
            data("test\n")),
        Case(
            "a retry", "retry:02000\ndata:x\n\n",
            [ServerSentEvent(data: "x", retry: .seconds(2))], retry: .seconds(2)),
        Case(
            "a bogus retry", "retry:2000\nretry:1000x\ndata:x\n\n",
            [ServerSentEvent(data: "x", retry: .seconds(2))], retry: .seconds(2)),
        Case(
            "an empty retry", "retry:2000\nretry\ndata:x\n\n",
            [ServerSentEvent(data: "x", retry: .seconds(2))], retry: .seconds(2)),
        Case("UTF-8", "data:ok…\n\n", data("ok…")),
        Case(
            "invalid UTF-8", invalid, data("a\u{FFFD}\u{FFFD}\nb\u{FFFD}(")),
    ]

    @Test(arguments: cases)
    func anEventStreamIsReadAsTheWebPlatformsTestsSay(_ test: Case) async throws {
        for size in [test.bytes.count, 1, 2, 3, 7] {
            let body = HTTPBodyStream(Data(test.bytes), chunksOf: max(1, size))
            var iterator = ServerSentEvents(body, limit: 10_000).makeAsyncIterator()
            var events: [ServerSentEvent] = []
            while let event = try await iterator.next() { events.append(event) }
            #expect(events == test.events, "in chunks of \(size)")
            #expect(iterator.lastEventID == test.lastEventID)
            #expect(iterator.reconnectionTime == test.retry)
        }
    }
}

@Suite struct DecodedEventsTests {
    private struct Price: Decodable, Equatable {
        var cents: Int
    }

    @Test func eventsAreDecodedAndAMalformedOneIsInTheError() async throws {
        let text =
            "data: {\"cents\":1}\n\nid: 2\ndata: {\"euros\":\"1\"}\n\ndata: {\"cents\":3}\n\n"
        let prices = HTTPBodyStream(Data(text.utf8)).serverSentEvents().decoded(as: Price.self)
        var iterator = prices.makeAsyncIterator()
        #expect(try await iterator.next() == Price(cents: 1))
        let failure = await #expect(throws: DecodingFailure.self) { try await iterator.next() }
        #expect(failure?.code == .keyNotFound)
        #expect(failure?.event == ServerSentEvent(data: "{\"euros\":\"1\"}", id: "2"))
        #expect(failure.map { "\($0)".contains("euros") } == false)
    }
}
