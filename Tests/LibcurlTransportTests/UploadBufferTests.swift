import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

@Suite(.oneAtATime) struct UploadBufferTests {
    /// A buffer, and the number of times that it asked libcurl to continue.
    private struct Bench {
        let buffer: UploadBuffer
        let wakes = Locked(0)

        init(_ source: HTTPRequest.BodySource) throws {
            var url = URLComponents()
            url.scheme = "http"
            url.host = "127.0.0.1"
            let request = HTTPRequest(.post, try #require(url.url), body: .stream(source))
            let options = try CurlOptions(
                CurlTransport.Configuration(), ConnectionSettings(), CurlLibrary.lookUp(),
                on: ManualScheduler())
            let engine = try CurlEngine(options, delivery: ResultDelivery(.inline))
            let exchange = try TransportExchange(
                request, for: .whole(InternalPromise()), within: engine.limits,
                on: engine.scheduler)
            buffer = UploadBuffer(exchange) { [wakes] in wakes.withLock { $0 += 1 } }
            engine.submit(.drain)
            buffer.open()
        }

        /// Waits until the buffer has asked libcurl to continue so often.
        func woken(_ count: Int) async -> Bool {
            await comesTrue { wakes.withLock { $0 } >= count }
        }

        /// What libcurl gets: the text, "|pause", "|end" or "|failed".
        func give(_ room: Int = 1_000) -> String {
            var bytes = [UInt8](repeating: 0, count: room)
            switch bytes.withUnsafeMutableBytes({ buffer.give(to: $0) }) {
            case .bytes(0): return "|end"
            case .bytes(let count): return String(decoding: bytes[..<count], as: UTF8.self)
            case .pause: return "|pause"
            case .failed(let error): return error is CancellationError ? "|cancelled" : "|failed"
            }
        }

        /// What libcurl gets after any pauses.
        func giveAtLast(_ room: Int = 1_000) async -> String {
            var given = "|pause"
            _ = await comesTrue {
                given = give(room)
                return given != "|pause"
            }
            return given
        }
    }

    private func source(
        _ texts: String..., isReplayable: Bool = true
    ) -> HTTPRequest.BodySource {
        HTTPRequest.BodySource(isReplayable: isReplayable) { HTTPBodyStream(texts: texts) }
    }

    @Test func bytesThatLibcurlMustNotSendYetComeAgain() async throws {
        let bench = try Bench(source("abc", "def"))
        #expect(await bench.giveAtLast(2) == "ab")
        bench.buffer.takeBack(Data("ab".utf8))
        var text = ""
        while case let given = await bench.giveAtLast(4), given != "|end" { text += given }
        #expect(text == "abcdef")
    }

    @Test func givesChunksInOrderThroughAnyRoom() async throws {
        for room in 1...9 {
            let bench = try Bench(source("abc", "", "d", "", "efghij"))
            var text = ""
            while case let given = await bench.giveAtLast(room), given != "|end" { text += given }
            #expect(text == "abcdefghij")
            #expect(bench.give() == "|end")
        }
    }

    @Test func fillsTheRoomFromSeveralChunks() async throws {
        let source = ScriptedSource()
        let bench = try Bench(HTTPRequest.BodySource(isReplayable: true) { source.stream() })
        for (index, text) in ["ab", "cd", "ef"].enumerated() {
            #expect(await comesTrue { source.asked == index + 1 })
            source.give(text)
        }
        #expect(await comesTrue { source.asked == 4 })
        #expect(bench.give(5) == "abcde")
        #expect(bench.give(5) == "f")
        #expect(bench.give(5) == "|pause")
        // Otherwise the source's pending work would keep the buffer, and the buffer the source.
        bench.buffer.cancel()
    }

    @Test func anUploadBufferWakesOnceForEachPause() async throws {
        let source = ScriptedSource()
        let bench = try Bench(HTTPRequest.BodySource(isReplayable: true) { source.stream() })
        #expect(await comesTrue { source.asked == 1 })
        // Once, since the source is open.
        #expect(await bench.woken(1))
        #expect(bench.give() == "|pause")
        source.give("a")
        #expect(await bench.woken(2))
        #expect(await comesTrue { source.asked == 2 })
        source.give("b")
        #expect(await comesTrue { source.asked == 3 })
        #expect(bench.wakes.withLock { $0 } == 2)
        #expect(bench.give() == "ab")
        #expect(bench.give() == "|pause")
        source.give(nil)
        #expect(await bench.woken(3))
        #expect(bench.give() == "|end")
    }

    @Test func readsAheadNoMoreThanAFewChunks() async throws {
        let asked = Locked(0)
        let endless = HTTPRequest.BodySource(isReplayable: true) {
            HTTPBodyStream(next: {
                asked.withLock { $0 += 1 }
                return Future(value: Data(repeating: 65, count: 65_536))
            })
        }
        let bench = try Bench(endless)
        #expect(await comesTrue { asked.withLock { $0 } == 4 })
        for round in 1...20 {
            #expect(await bench.giveAtLast(65_536).utf8.count == 65_536)
            #expect(await comesTrue { asked.withLock { $0 } == 4 + round })
        }
    }

    @Test func tellsTheErrorOfASourceAfterItsBytes() async throws {
        let source = ScriptedSource()
        let bench = try Bench(HTTPRequest.BodySource(isReplayable: true) { source.stream() })
        #expect(await comesTrue { source.asked == 1 })
        source.give("abc")
        #expect(await comesTrue { source.asked == 2 })
        source.last?.reject(with: Broken())
        #expect(await comesTrue { bench.buffer.failure is Broken })
        #expect(bench.give(2) == "ab")
        #expect(bench.give(2) == "c")
        #expect(bench.give(2) == "|failed")
        #expect(bench.give(2) == "|failed")
    }

    @Test func tellsThatASourceCannotBeOpened() async throws {
        let bench = try Bench(HTTPRequest.BodySource(isReplayable: true) { throw Broken() })
        #expect(await bench.woken(1))
        #expect(bench.buffer.failure is Broken)
        #expect(bench.give() == "|failed")
    }

    @Test func beginsAnewInTheMiddleOfARead() async throws {
        let sources = TestLog<ScriptedSource>()
        let bench = try Bench(
            HTTPRequest.BodySource(isReplayable: true) {
                let source = ScriptedSource()
                sources.append(source)
                return source.stream()
            })
        #expect(await comesTrue { sources.elements.first?.asked == 1 })
        let first = try #require(sources.elements.first)
        first.give("old")
        #expect(await comesTrue { first.asked == 2 })
        #expect(bench.give(2) == "ol")

        bench.buffer.rewind()
        // The thread that asked the source may not have recorded yet that it waits.
        #expect(await comesTrue { first.cancelled == 1 })
        #expect(await comesTrue { sources.elements.last?.asked == 1 })
        // Results of the old source are ignored.
        first.give("lost")
        #expect(bench.give() == "|pause")
        sources.elements.last?.give("new")
        #expect(await bench.giveAtLast() == "new")
        #expect(sources.elements.count == 2)
        bench.buffer.cancel()
    }

    @Test func aSourceThatOpensAfterTheEndIsGivenUp() async throws {
        let opens = Promise<Void>()
        let source = ScriptedSource()
        let bench = try Bench(
            HTTPRequest.BodySource(isReplayable: true) {
                while !opens.isSettled {}
                return source.stream()
            })
        bench.buffer.cancel()
        opens.resolve()
        #expect(await comesTrue { source.cancelled == 1 })
        #expect(source.asked == 0)
        #expect(bench.give() == "|cancelled")
    }

    @Test func cancellingCancelsTheSource() async throws {
        let source = ScriptedSource()
        let bench = try Bench(HTTPRequest.BodySource(isReplayable: true) { source.stream() })
        #expect(await comesTrue { source.asked == 1 })
        bench.buffer.cancel()
        bench.buffer.cancel()
        // The thread that asked the source may not have recorded yet that it waits.
        #expect(await comesTrue { source.cancelled == 1 })
        source.give("late")
        #expect(bench.give() == "|cancelled")
    }

    /// A source of numbers, most of which arrive later and on another thread.
    private static func numbers(_ count: Int) -> HTTPRequest.BodySource {
        HTTPRequest.BodySource(isReplayable: true) {
            let next = Locked(0)
            return HTTPBodyStream(next: {
                let number = next.withLock { next in
                    defer { next += 1 }
                    return next
                }
                guard number < count else { return Future(value: nil) }
                let chunk = Data("\(number) ".utf8)
                if number % 3 == 0 { return Future(value: chunk) }
                let promise = Promise<Data?>()
                DispatchQueue.global().async { promise.resolve(with: chunk) }
                return promise
            })
        }
    }

    private static func text(_ count: Int) -> String { (0..<count).map { "\($0) " }.joined() }

    @Test func anUploadBufferLosesNoByteBetweenThreads() async throws {
        let bench = try Bench(Self.numbers(3_000))
        var text = ""
        while case let given = await bench.giveAtLast(37), given != "|end" { text += given }
        #expect(text == Self.text(3_000))
    }

    @Test func anUploadBufferBeginsAnewAtAnyMoment() async throws {
        for round in 0..<300 {
            let bench = try Bench(Self.numbers(20))
            for _ in 0..<round % 7 { _ = bench.give(5) }
            bench.buffer.rewind()
            var text = ""
            while case let given = await bench.giveAtLast(9), given != "|end" { text += given }
            #expect(text == Self.text(20))
        }
    }
}
