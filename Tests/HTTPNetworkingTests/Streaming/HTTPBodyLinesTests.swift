import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPTransportKit

@Suite(.oneAtATime) struct HTTPBodyLinesTests {
    @Test func theLinesOfABodyComeAsTheyEnd() async throws {
        let body = HTTPBodyStream(Data("one\r\ntwo\n\nlast".utf8), chunksOf: 3)
        var lines: [String] = []
        for try await line in body.lines() { lines.append(line) }
        #expect(lines == ["one", "two", "", "last"])
    }

    @Test func aLineIsGivenBeforeTheNextChunk() async throws {
        let source = Chunks("one\rtw", "o\n")
        var lines = source.stream.lines().makeAsyncIterator()
        #expect(try await lines.next() == "one")
        #expect(source.asked == 1)
        #expect(try await lines.next() == "two")
        #expect(source.asked == 2)
        #expect(try await lines.next() == nil)
        #expect(try await lines.next() == nil)
        #expect(source.asked == 3)
    }

    @Test func anErrorOfTheBodyFailsItsLines() async throws {
        let body = HTTPBodyStream { throw Broken() }
        var lines = body.lines().makeAsyncIterator()
        await #expect(throws: Broken.self) { try await lines.next() }
    }

    @Test func aLineThatIsTooLongCancelsTheBody() async throws {
        let source = Chunks("1234", "5")
        var lines = source.stream.lines(limit: 3).makeAsyncIterator()
        await #expect(throws: HTTPError.self) { try await lines.next() }
        #expect(source.cancelled == 1)
        #expect(try await lines.next() == nil)
    }

    @Test func theLinesBeforeOneThatIsTooLongComeFirst() async throws {
        let source = Chunks("one\ntwo\nthree\nfour\n", "five\n")
        var lines = source.stream.lines(limit: 3).makeAsyncIterator()
        #expect(try await lines.next() == "one")
        #expect(source.cancelled == 1)
        #expect(try await lines.next() == "two")
        let error = await #expect(throws: HTTPError.self) { try await lines.next() }
        #expect(error?.code == .bodyTooLarge)
        #expect(try await lines.next() == nil)
    }

    @Test func theEventsOfABodyComeAsTheyEnd() async throws {
        let text = "retry: 10\nid: 1\ndata: one\n\nevent: two\ndata: 2\r\n\r\ndata: cut off"
        let body = HTTPBodyStream(Data(text.utf8), chunksOf: 4)
        var events: [ServerSentEvent] = []
        for try await event in body.serverSentEvents() { events.append(event) }
        #expect(
            events == [
                ServerSentEvent(data: "one", id: "1", retry: .milliseconds(10)),
                ServerSentEvent(type: "two", data: "2", id: "1", retry: .milliseconds(10)),
            ])
        let shown = Mirror(reflecting: events[0]).children.map(\.label)
        #expect(shown == ["type", "data", "id", "retry"])
    }

    @Test func anEventThatIsTooLongCancelsTheBody() async throws {
        let source = Chunks("data: 1\ndata: 2\ndata: 3\ndata: 4\ndata: 5\n", "data: 6\n")
        var events = source.stream.serverSentEvents(limit: 8).makeAsyncIterator()
        await #expect(throws: HTTPError.self) { try await events.next() }
        #expect(source.cancelled == 1)
        // The lines that had come with it are no events of their own.
        #expect(try await events.next() == nil)
    }
}

/// The chunks of a body; counts how many were asked for.
private final class Chunks: Sendable {
    private let state: Locked<(left: ArraySlice<String>, asked: Int, cancelled: Int)>

    init(_ texts: String...) { state = Locked((texts[...], 0, 0)) }

    var asked: Int { state.withLock { $0.asked } }

    var cancelled: Int { state.withLock { $0.cancelled } }

    var stream: HTTPBodyStream {
        HTTPBodyStream(
            next: { [self] in
                let text = state.withLock { state in
                    state.asked += 1
                    return state.left.popFirst()
                }
                return Future(value: text.map { Data($0.utf8) })
            },
            cancel: { [self] in state.withLock { $0.cancelled += 1 } })
    }
}

@Suite struct LineSplitterTests {
    private func lines(of chunks: [String], limit: Int = 100) throws -> [String] {
        var splitter = LineSplitter(limit: limit)
        var lines = try chunks.flatMap { try splitter.lines(endingIn: Data($0.utf8)) }
        if let last = splitter.lastLine() { lines.append(last) }
        return lines
    }

    @Test(arguments: [
        (["a\nb\n"], ["a", "b"]), (["a\r\nb\r\n"], ["a", "b"]), (["a\rb\r"], ["a", "b"]),
        (["a\n\nb"], ["a", "", "b"]), (["a\r\n\r\nb"], ["a", "", "b"]),
        (["a\n\rb"], ["a", "", "b"]),
        (["a\r", "\nb"], ["a", "b"]), (["a\r", "", "\n\nb"], ["a", "", "b"]),
        (["a", "b\nc", "d"], ["ab", "cd"]), ([""], []), (["\n"], [""]), ([], []),
    ])
    func aLineEndsWithLineFeedCarriageReturnOrBoth(chunks: [String], expected: [String]) throws {
        #expect(try lines(of: chunks) == expected)
    }

    @Test func aCharacterThatIsCutByAChunkIsWhole() throws {
        let bytes = Data("größe €\n".utf8)
        var splitter = LineSplitter(limit: 100)
        let found = try bytes.flatMap { try splitter.lines(endingIn: Data([$0])) }
        #expect(found == ["größe €"])
    }

    @Test func aLineThatIsTooLongIsAnError() throws {
        #expect(try lines(of: ["1234\n1234"], limit: 4) == ["1234", "1234"])
        for chunks in [["12345\n"], ["123", "45"], ["12345"]] {
            let error = #expect(throws: HTTPError.self) { try lines(of: chunks, limit: 4) }
            #expect(error?.code == .bodyTooLarge)
            #expect("\(try #require(error))".contains("a line has more than 4 bytes"))
        }
    }

    /// For any chunks, the lines are those of the undivided text.
    @Test func howABodyIsChunkedMakesNoDifferenceToItsLines() throws {
        let random = RandomSource.seeded(7)
        for _ in 0..<2_000 {
            let text = Data(
                (0..<(random.next() % 40)).map { _ in
                    [10, 13, 97, 0xC3, 0xA4][Int(random.next() % 5)]
                })
            var whole = LineSplitter(limit: 100)
            var pieces = LineSplitter(limit: 100)
            var expected = try whole.lines(endingIn: text)
            var found: [String] = []
            var rest = text
            while !rest.isEmpty {
                let count = Int(random.next() % UInt64(rest.count)) + 1
                found += try pieces.lines(endingIn: rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            expected += [whole.lastLine()].compactMap(\.self)
            found += [pieces.lastLine()].compactMap(\.self)
            #expect(found == expected)
            let plain = String(decoding: text, as: UTF8.self).replacing("\r\n", with: "\n")
                .unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" }
            #expect(expected == plain.map { String($0) }.droppingEmptyLast())
        }
    }
}

extension LineSplitter {
    /// The lines that end within the next chunk.
    fileprivate mutating func lines(endingIn chunk: Data) throws(HTTPError) -> [String] {
        var lines: [String] = []
        try feed(chunk, to: &lines)
        return lines
    }
}

extension [String] {
    /// Without a last empty element, which is the text after the last terminator.
    fileprivate func droppingEmptyLast() -> [String] { last == "" ? dropLast() : self }
}
