import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import TestSupport
import Testing

@Suite(.oneAtATime) struct HTTPBodyStreamForEachTests {
    let source = ScriptedSource()

    @Test func theNextChunkIsAskedForWhenTheLastIsDealtWith() {
        let work = Locked<[Promise<Void>]>([])
        let end = source.stream().forEach { _ in
            let promise = Promise<Void>()
            work.withLock { $0.append(promise) }
            return promise
        }
        source.give("a")
        #expect(source.asked == 1)
        work.withLock { $0[0] }.resolve()
        #expect(source.asked == 2)
        source.give(nil)
        #expect(end.success != nil)
    }

    @Test func aFailureOfTheFunctionCancelsTheRest() {
        let thrown = source.stream().forEach { _ in throw Broken() }
        source.give("a")
        #expect(thrown.failure is Broken)
        #expect(source.cancelled == 1)
        let other = ScriptedSource()
        let rejected = other.stream().forEach { _ in Future(error: Broken()) }
        other.give("a")
        #expect(rejected.failure is Broken)
        #expect(other.cancelled == 1)
    }

    @Test func cancellingGivesUpWhatIsAwaited() {
        let work = Promise<Void>()
        let isGivenUp = Locked(false)
        work.onCancel { isGivenUp.withLock { $0 = true } }
        let stream = source.stream()
        let end = stream.forEach { _ in work }
        source.give("a")
        end.cancel()
        #expect(isGivenUp.withLock { $0 })
        #expect(source.cancelled == 1)
        #expect(stream.next().failure is CancellationError)
    }

    @Test func aFailureOfTheStreamComesThrough() {
        let end = source.stream().forEach { _ in Future(value: ()) }
        source.last?.reject(with: Broken())
        #expect(end.failure is Broken)
    }

    @Test func gatheringKeepsToItsLimit() {
        #expect(
            HTTPBodyStream(texts: ["ab", "cd"]).collected(upTo: 4).success == Data("abcd".utf8))
        let stream = source.stream()
        let collected = stream.collected(upTo: 4)
        source.give("abc")
        source.give("de")
        #expect(collected.failureCode == .bodyTooLarge)
        #expect((collected.failure as? HTTPError)?.reason == "the limit of 4 bytes")
        #expect(source.cancelled == 1)
        #expect(source.asked == 2)
        #expect(HTTPBodyStream(texts: []).collected(upTo: 0).success == Data())
        #expect(HTTPBodyStream(texts: ["a"]).collected(upTo: -1).failureCode == .bodyTooLarge)
    }

    @Test func cancellingTheGatheringCancelsTheStream() {
        let stream = source.stream()
        let collected = stream.collected(upTo: 4)
        source.give("abc")
        collected.cancel()
        #expect(source.cancelled == 1)
        #expect(stream.next().failure is CancellationError)
    }

    /// 16 times as many chunks take about 16 times as long; if the bytes were copied for each chunk, they
    /// would take 256 times as long.
    ///
    /// Measured by this thread's processor time, since other threads use time, too.
    @Test func gatheringIsLinear() {
        func took(_ count: Int) -> Duration {
            let chunk = Data(repeating: 1, count: 64)
            let rest = Locked(count)
            let stream = HTTPBodyStream(next: {
                rest.withLock { rest in
                    rest -= 1
                    return Future(value: rest >= 0 ? chunk : nil)
                }
            })
            let start = processorTime()
            #expect(stream.collected(upTo: .max).success?.count == 64 * count)
            return processorTime() - start
        }
        func best(_ count: Int) -> Duration { (0..<4).map { _ in took(count) }.min() ?? .zero }
        let (short, long) = (best(4_000), best(64_000))
        #expect(long < short * 100)
    }

    private func processorTime() -> Duration {
        var now = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
    }
}
