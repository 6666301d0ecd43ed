import Foundation
import TestSupport
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPTransportKit

/// Event streams of random and changed bytes, cut into random chunks.
@Suite(.oneAtATime) struct ServerSentEventsFuzzTests {
    private struct Reading: Equatable {
        var events: [ServerSentEvent] = []
        var lastEventID = ""
        var retry: Duration?
        var hasFailed = false
    }

    private let limit = 80

    /// What a stream of chunks gives, as a reader of a body sees it.
    private func read(_ chunks: [Data]) -> Reading {
        var splitter = LineSplitter(limit: limit)
        var parser = ServerSentEventParser(limit: limit)
        var reading = Reading()
        do {
            for chunk in chunks {
                var lines: [String] = []
                // The lines before one that is too long count.
                let failure = Result { try splitter.feed(chunk, to: &lines) }
                for line in lines {
                    if let event = try parser.event(endedBy: line) { reading.events.append(event) }
                }
                try failure.get()
            }
        } catch {
            reading.hasFailed = true
        }
        reading.lastEventID = parser.lastEventID
        reading.retry = parser.retry
        return reading
    }

    private func check(_ bytes: [UInt8], _ random: inout SeededGenerator) -> Reading {
        let whole = read([Data(bytes)])
        #expect(read(bytes.map { Data([$0]) }) == whole, "\(bytes)")
        var (chunks, rest) = ([Data](), bytes[...])
        while !rest.isEmpty {
            let size = Int.random(in: 1...min(rest.count, 9), using: &random)
            chunks.append(Data(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        #expect(read(chunks) == whole, "\(bytes)")
        for event in whole.events {
            #expect(event.data.utf8.count <= limit && !event.type.isEmpty)
            #expect(HTTPHeaders.isReturnable(event.id))
            #expect(event.retry ?? .zero >= .zero && event.retry ?? .zero <= .seconds(1 << 22))
        }
        return whole
    }

    @Test("changed event streams give the same events in all chunks, and never trap")
    func changedEventStreamsGiveTheSameEventsInAllChunks() throws {
        var random = SeededGenerator(seed: 21)
        var inputs = Mutator(
            corpus: try corpus(named: "event-streams"),
            words: ["data", "data:", "id:", "event:", "retry:", ":", "\n\n", "\r\n\r\n", "[DONE]"],
            delimiters: "\r\n: ", seed: 22)
        var (events, failures) = (0, 0)
        for _ in 0..<fuzzInputCount() {
            let reading = check(inputs.next(), &random)
            events += reading.events.count
            failures += reading.hasFailed ? 1 : 0
        }
        #expect(events > fuzzInputCount() / 2 && failures > 0)
    }

    @Test("random bytes give the same events in all chunks, and never trap")
    func randomBytesGiveTheSameEventsInAllChunks() {
        var random = SeededGenerator(seed: 23)
        let likely =
            Array("data:id:retry:event:\n\n\r\n\r 01\0".utf8) + [0xEF, 0xBB, 0xBF, 0xC3, 0xFF]
        for _ in 0..<fuzzInputCount() {
            let bytes = (0..<Int.random(in: 0...120, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? likely.randomElement(using: &random)! : .random(in: 0...255, using: &random)
            }
            _ = check(bytes, &random)
        }
    }
}
