import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import TestSupport
import Testing

@Suite(.oneAtATime) struct HTTPBodyLinesTests {
    @Test func linesComeAsTheyEnd() async throws {
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

    @Test func whatFailsTheBodyFailsTheLines() async throws {
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

    @Test func eventsComeAsTheyEnd() async throws {
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
