import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
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

    @Test func anErrorOfAStreamStays() {
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

    @Test func anErrorThatAStreamGivesAtOnceStays() {
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

/// What a cancellation gives up, and which code is notified.
@Suite(.oneAtATime) struct HTTPBodyStreamCancelTests {
    let source = ScriptedSource()

    @Test func cancellingBeforeAnyReadTellsTheSourceOnce() {
        let stream = source.stream()
        stream.cancel()
        stream.cancel()
        #expect(source.cancelled == 1)
        #expect(stream.next().failure is CancellationError)
        #expect(source.asked == 0)
    }

    @Test func cancellingBetweenChunksTellsTheSource() {
        let stream = source.stream()
        _ = stream.next()
        source.give("a")
        stream.cancel()
        #expect(source.cancelled == 1)
        #expect(stream.next().failure is CancellationError)
        #expect(source.asked == 1)
    }

    @Test func cancellingRejectsTheChunkThatIsAwaited() {
        let stream = source.stream()
        let wasAsked = Locked(false)
        let chunk = stream.next()
        source.last?.onCancel { wasAsked.withLock { $0 = true } }
        stream.cancel()
        #expect(chunk.failure is CancellationError)
        #expect(source.cancelled == 1)
        #expect(wasAsked.withLock { $0 })
        source.give("late")
        #expect(stream.next().failure is CancellationError)
    }

    @Test func cancellingTheChunkCancelsTheStream() {
        let stream = source.stream()
        stream.next().cancel()
        #expect(source.cancelled == 1)
        #expect(stream.next().failure is CancellationError)
    }

    @Test func cancellingOneWhoWaitsForAChunkLeavesItToTheOther() {
        let stream = source.stream()
        let chunk = stream.next()
        let (one, other) = (chunk.map(\.?.count), chunk.map(\.?.count))
        one.cancel()
        #expect(source.cancelled == 0)
        source.give("abc")
        #expect(other.success == 3)
    }

    @Test func cancellingLeavesThePromiseToOthersWhoHoldIt() {
        let shared = Promise<Data?>()
        let other = shared.map { $0 }
        shared.onCancel {}
        let stream = HTTPBodyStream(next: { shared })
        let chunk = stream.next()
        stream.cancel()
        #expect(chunk.failure is CancellationError)
        #expect(shared.result == nil)
        shared.resolve(with: Data("a".utf8))
        #expect(other.text == "a")
    }

    @Test func releasingAnUnreadStreamCancelsIt() {
        _ = source.stream()
        #expect(source.cancelled == 1)
    }

    @Test func releasingAStreamReadInPartCancelsIt() {
        var stream: HTTPBodyStream? = source.stream()
        let chunk = stream?.next()
        stream = nil
        #expect(source.cancelled == 0)
        source.give("a")
        #expect(chunk?.text == "a")
        #expect(source.cancelled == 1)
    }

    @Test func releasingAStreamThatWasReadCancelsNothing() {
        var stream: HTTPBodyStream? = source.stream()
        let chunk = stream?.next()
        source.give(nil)
        #expect(chunk?.text == "nil")
        stream = nil
        #expect(source.cancelled == 0)
    }

    @Test func whatTheSourceKeepsIsReleasedAtTheEnd() {
        final class Kept: Sendable {}
        for end in [Result<Data?, any Error>.success(nil), .failure(Broken())] {
            var kept: Kept? = Kept()
            weak let held = kept
            let stream = HTTPBodyStream(next: { [kept] in
                withExtendedLifetime(kept) { end.future }
            })
            kept = nil
            #expect(held != nil)
            _ = stream.next()
            #expect(held == nil)
        }
    }

    /// The source is being called on this thread: it is notified of the cancellation afterwards.
    @Test func cancellingWhileTheSourceIsAskedIsNotMissed() {
        for isThere in [true, false] {
            let stream = Locked<HTTPBodyStream?>(nil)
            let events = Locked<[String]>([])
            let promise = Promise<Data?>()
            promise.onCancel { events.withLock { $0.append("chunk") } }
            let made = HTTPBodyStream(
                next: {
                    stream.withLock { $0 }?.cancel()
                    stream.withLock { $0 }?.cancel()
                    events.withLock { $0.append("asked") }
                    return isThere ? Future(value: Data("a".utf8)) : promise
                },
                cancel: { events.withLock { $0.append("source") } })
            stream.withLock { $0 = made }
            let chunk = made.next()
            #expect(chunk.failure is CancellationError)
            #expect(made.next().failure is CancellationError)
            let expected = isThere ? ["asked", "source"] : ["asked", "chunk", "source"]
            #expect(events.withLock { $0 } == expected)
            stream.withLock { $0 = nil }
        }
    }

    @Test func cancellingWhileTheSourceIsAskedAgainIsNotMissed() {
        let stream = Locked<HTTPBodyStream?>(nil)
        let promises = [Promise<Data?>(), Promise<Data?>()]
        let calls = Locked((asked: 0, cancelled: 0))
        let made = HTTPBodyStream(
            next: {
                let number = calls.withLock { calls in
                    calls.asked += 1
                    return calls.asked
                }
                if number == 2 { stream.withLock { $0 }?.cancel() }
                return promises[number - 1]
            },
            cancel: { calls.withLock { $0.cancelled += 1 } })
        stream.withLock { $0 = made }
        let chunk = made.next()
        promises[0].resolve(with: Data())
        #expect(chunk.failure is CancellationError)
        #expect(calls.withLock { $0 } == (2, 1))
        stream.withLock { $0 = nil }
    }

    @Test func thereIsOneEndHoweverManyThreadsCancel() {
        for round in 0..<500 {
            let source = ScriptedSource()
            let stream = source.stream()
            let chunks = Locked<[Future<Data?>]>([])
            onThreads(4) { index in
                switch (index + round) % 4 {
                case 0, 1:
                    let chunk = stream.next()
                    chunks.withLock { $0.append(chunk) }
                case 2: stream.cancel()
                default: source.give("a")
                }
            }
            // Whichever came first: nothing waits any more, and the source was notified.
            #expect(source.cancelled == 1)
            #expect(chunks.withLock { $0 }.allSatisfy { $0.result != nil })
            #expect(source.last.map { $0.result != nil || $0.text == nil } ?? true)
            #expect(stream.next().failure is CancellationError)
        }
    }
}

extension Result where Success: Sendable {
    fileprivate var future: Future<Success> {
        switch self {
        case .success(let value): Future(value: value)
        case .failure(let error): Future(error: error)
        }
    }
}

@Suite struct HTTPBodyStreamDataTests {
    @Test(arguments: [1, 3, 10, 11])
    func dataIsCutIntoChunks(of size: Int) async throws {
        let bytes = Data((0..<10).map { $0 })
        let stream = HTTPBodyStream(bytes, chunksOf: size)
        #expect(stream.length == 10)
        var chunks: [Data] = []
        for try await chunk in stream { chunks.append(chunk) }
        #expect(chunks.allSatisfy { $0.startIndex == 0 && $0.count <= size })
        #expect(chunks.count == (10 + size - 1) / size)
        #expect(Data(chunks.joined()) == bytes)
    }

    @Test func aStreamOfNoBytesIsAtItsEnd() {
        let stream = HTTPBodyStream(Data())
        #expect(stream.length == 0)
        #expect(stream.next().text == "nil")
    }

    @Test func aSliceIsReadFromItsOwnStart() {
        let slice = Data("0123456789".utf8)[3..<6]
        #expect(HTTPBodyStream(slice).collected(upTo: 3).success == Data("345".utf8))
    }
}

@Suite struct HTTPBodyStreamLengthTests {
    @Test func aStreamOfTheRightLengthPasses() {
        let stream = HTTPBodyStream(texts: ["ab", "c"]).checkingLength(3)
        #expect(stream.length == 3)
        #expect(stream.collected(upTo: 10).success == Data("abc".utf8))
        #expect(HTTPBodyStream(texts: []).checkingLength(0).next().text == "nil")
    }

    @Test func bytesBeyondTheLengthOfAStreamAreNotGiven() {
        let source = ScriptedSource()
        let stream = source.stream().checkingLength(3)
        let first = stream.next()
        source.give("ab")
        #expect(first.text == "ab")
        let second = stream.next()
        source.give("cd")
        #expect(second.failureCode == .bodyLengthMismatch)
        #expect(stream.next().failureCode == .bodyLengthMismatch)
        #expect(source.cancelled == 1)
    }

    @Test func aStreamThatEndsTooSoonFails() {
        let stream = HTTPBodyStream(texts: ["ab"]).checkingLength(3)
        #expect(stream.next().text == "ab")
        #expect(stream.next().failureCode == .bodyLengthMismatch)
    }

    @Test func cancellingAStreamOfKnownLengthReachesItsSource() {
        let source = ScriptedSource()
        let stream = source.stream().checkingLength(3)
        _ = stream.next()
        stream.cancel()
        #expect(source.cancelled == 1)
        let unread = ScriptedSource()
        _ = unread.stream().checkingLength(3)
        #expect(unread.cancelled == 1)
    }

    @Test func anErrorPassesAStreamOfKnownLength() {
        let source = ScriptedSource()
        let chunk = source.stream().checkingLength(3).next()
        source.last?.reject(with: Broken())
        #expect(chunk.failure is Broken)
    }
}
