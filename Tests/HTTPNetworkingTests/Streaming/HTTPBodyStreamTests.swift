import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import TestSupport
import Testing

@Suite(.oneAtATime) struct HTTPBodyStreamTests {
    let source = ScriptedSource()

    @Test func nothingIsAskedForBeforeTheReaderAsks() {
        let stream = source.stream(length: 7)
        #expect(source.asked == 0)
        #expect(stream.length == 7)
        let chunk = stream.next()
        #expect(source.asked == 1)
        source.give("a")
        #expect(chunk.text == "a")
        #expect(source.asked == 1)
    }

    @Test func chunksComeInOrderAndTheEndStays() {
        let stream = source.stream()
        for text in ["a", "b"] {
            let chunk = stream.next()
            #expect(chunk.result == nil)
            source.give(text)
            #expect(chunk.text == text)
        }
        let end = stream.next()
        source.give(nil)
        #expect(end.text == "nil")
        #expect(stream.next().text == "nil")
        #expect(source.asked == 3)
        stream.cancel()
        #expect(stream.next().text == "nil")
        #expect(source.cancelled == 0)
    }

    @Test func whatTheSourceThrowsFailsTheStream() {
        let asked = Locked(0)
        let stream = HTTPBodyStream {
            asked.withLock { $0 += 1 }
            throw CancellationError()
        }
        for _ in 0..<2 {
            #expect(throws: CancellationError.self) { try stream.next().result?.get() }
        }
        #expect(asked.withLock { $0 } == 1)
    }

    @Test func anErrorStays() {
        let stream = source.stream()
        let chunk = stream.next()
        source.last?.reject(with: Broken())
        #expect(chunk.failure is Broken)
        #expect(stream.next().failure is Broken)
        stream.cancel()
        #expect(stream.next().failure is Broken)
        #expect(source.asked == 1)
        #expect(source.cancelled == 0)
    }

    @Test func anErrorGivenAtOnceStays() {
        let asked = Locked(0)
        let stream = HTTPBodyStream(next: {
            asked.withLock { $0 += 1 }
            return Future(error: Broken())
        })
        #expect(stream.next().failure is Broken)
        #expect(stream.next().failure is Broken)
        #expect(asked.withLock { $0 } == 1)
    }

    @Test func emptyChunksArePassedOver() {
        let stream = source.stream()
        let chunk = stream.next()
        source.give("")
        source.give("")
        #expect(chunk.result == nil)
        #expect(source.asked == 3)
        source.give("a")
        #expect(chunk.text == "a")
        #expect(HTTPBodyStream(texts: ["", "", "b", ""]).next().text == "b")
    }

    @Test func afterAnEmptyChunkAnErrorComesThrough() {
        let stream = source.stream()
        let chunk = stream.next()
        source.give("")
        source.last?.reject(with: Broken())
        #expect(chunk.failure is Broken)
    }

    @Test func aSecondReaderAtTheSameTimeIsRefused() {
        let stream = source.stream()
        let first = stream.next()
        #expect(stream.next().failureCode == .bodyIsBeingRead)
        source.give("a")
        #expect(first.text == "a")
        let second = stream.next()
        source.give("b")
        #expect(second.text == "b")
    }

    @Test func theSourceIsNotAskedWithinItsOwnCall() {
        let stream = Locked<HTTPBodyStream?>(nil)
        let inner = Locked<Future<Data?>?>(nil)
        let made = HTTPBodyStream(next: {
            let again = stream.withLock { $0 }?.next()
            inner.withLock { $0 = again }
            return Future(value: Data("a".utf8))
        })
        stream.withLock { $0 = made }
        #expect(made.next().text == "a")
        #expect(inner.withLock { $0 }?.failureCode == .bodyIsBeingRead)
        stream.withLock { $0 = nil }
    }

    @Test func anObserverOfAChunkMayAskForTheNext() {
        let stream = source.stream()
        let second = Locked<Future<Data?>?>(nil)
        stream.next().observe { _ in
            let next = stream.next()
            second.withLock { $0 = next }
        }
        source.give("a")
        source.give("b")
        #expect(second.withLock { $0 }?.text == "b")
    }

    @Test func aPromiseThatIsReleasedFailsTheChunk() {
        let stream = source.stream()
        let chunk = stream.next()
        source.forget()
        #expect((chunk.failure as? FutureError)?.code == .abandoned)
        #expect((stream.next().failure as? FutureError)?.code == .abandoned)
    }

    @Test func aMillionTinyChunksDoNotOverflowTheStack() {
        let rest = Locked(depth())
        let stream = HTTPBodyStream(next: {
            rest.withLock { rest in
                guard rest > 0 else { return Future(value: nil) }
                rest -= 1
                // Half of them are empty.
                return Future(value: rest % 2 == 0 ? Data() : Data([1]))
            }
        })
        let count = Locked(0)
        let end = stream.forEach { chunk in
            count.withLock { $0 += chunk.count }
            return Future(value: ())
        }
        #expect(end.success != nil)
        #expect(count.withLock { $0 } == depth() / 2)
        let empty = Locked(depth())
        let nothing = HTTPBodyStream(next: {
            empty.withLock { rest in
                rest -= 1
                return Future(value: rest > 0 ? Data() : nil)
            }
        })
        #expect(nothing.next().text == "nil")
    }

    @Test func chunksThatComeLaterDoNotOverflowTheStack() {
        let stream = source.stream()
        let count = Locked(0)
        @Sendable func readOn() -> Future<Void> {
            stream.next().flatMap { chunk in
                guard let chunk else { return Future(value: ()) }
                count.withLock { $0 += chunk.count }
                return readOn()
            }
        }
        let end = readOn()
        for _ in 0..<100_000 { source.give("ab") }
        source.give(nil)
        #expect(end.success != nil)
        #expect(count.withLock { $0 } == 200_000)
    }
}
