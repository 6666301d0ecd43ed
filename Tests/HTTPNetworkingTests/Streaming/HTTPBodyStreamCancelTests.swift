import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import TestSupport
import Testing

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
