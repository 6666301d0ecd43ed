import Foundation
import HTTPTestSupport
import PledgeFutures
import TestSupport
import Testing

@testable import PledgeHTTPBodies
@testable import PledgeHTTPMessages
@testable import PledgeHTTPTransportKit

@Suite struct HTTPBodyStreamAsyncSequenceTests {
    /// A sequence that counts the calls of `next`, and records that its task was cancelled.
    struct Counted: AsyncSequence, Sendable {
        struct AsyncIterator: AsyncIteratorProtocol {
            let sequence: Counted
            var count = 0

            mutating func next() async throws -> [UInt8]? {
                sequence.state.withLock { $0.asked += 1 }
                count += 1
                if count == sequence.stuckAt {
                    let promise = Promise<Void>()
                    promise.onCancel {}
                    sequence.stuck.resolve()
                    let end = await promise.resultWhenSettled
                    if case .failure = end { sequence.gone.resolve() }
                }
                if count > sequence.count {
                    if sequence.fails { throw Broken() }
                    return nil
                }
                return [UInt8(count)]
            }
        }

        let count: Int
        var fails = false
        var stuckAt: Int?
        let state = Locked((asked: 0, made: 0))
        let stuck = Promise<Void>()
        let gone = Promise<Void>()

        func makeAsyncIterator() -> AsyncIterator {
            state.withLock { $0.made += 1 }
            return AsyncIterator(sequence: self)
        }
    }

    @Test func anAsyncSequenceIsReadToItsEnd() async throws {
        let chunks = Counted(count: 3)
        let stream = HTTPBodyStream(length: 3, chunks)
        #expect(stream.length == 3)
        let all = try await stream.collected(upTo: 3).value
        #expect(Array(all) == [1, 2, 3])
        #expect(try await stream.next().value == nil)
        #expect(chunks.state.withLock { $0 } == (4, 1))
    }

    @Test func anAsyncSequenceIsNotPulledAhead() async throws {
        let chunks = Counted(count: 100)
        let stream = HTTPBodyStream(chunks)
        #expect(chunks.state.withLock { $0 } == (0, 0))
        for number in 1...5 {
            #expect(try await stream.next().value == Data([UInt8(number)]))
            // Its task may run here, but must not ask for the next element.
            for _ in 0..<20 { await Task.yield() }
            #expect(chunks.state.withLock { $0.asked } == number)
        }
    }

    @Test func anErrorOfAnAsyncSequenceStays() async {
        let stream = HTTPBodyStream(Counted(count: 1, fails: true))
        #expect(await stream.next().resultWhenSettled.value == Data([1]))
        for _ in 0..<2 { #expect(await stream.next().resultWhenSettled.isBroken) }
    }

    @Test func cancellingAStreamReachesItsSequencesTask() async throws {
        let chunks = Counted(count: 9, stuckAt: 2)
        let stream = HTTPBodyStream(chunks)
        _ = try await stream.next().value
        let chunk = stream.next()
        try await chunks.stuck.value
        stream.cancel()
        try await chunks.gone.value
        #expect(chunk.failure is CancellationError)
    }

    @Test func releasingTheReadersTaskReachesItsTask() async throws {
        let chunks = Counted(count: 9, stuckAt: 2)
        let reader = Task {
            var read = 0
            for try await chunk in HTTPBodyStream(chunks) { read += chunk.count }
            return read
        }
        try await chunks.stuck.value
        reader.cancel()
        try await chunks.gone.value
        await #expect(throws: CancellationError.self) { try await reader.value }
    }

    @Test func anUnreadStreamIsNeverIteratedAndItsTaskEnds() async throws {
        final class Kept: Sendable {
            let released = Promise<Void>()
            let promise: Promise<Void>
            init(_ promise: Promise<Void>) { self.promise = promise }
            deinit { promise.resolve() }
        }
        let released = Promise<Void>()
        do {
            let kept = Kept(released)
            let chunks = AsyncStream<[UInt8]> {
                _ = kept; return nil
            }
            _ = HTTPBodyStream(chunks)
        }
        try await released.value
        #expect(released.result != nil)
    }

    @Test func elementsMayBeDataOrSlices() async throws {
        let data = AsyncStream<Data> { line in
            line.yield(Data("ab".utf8))
            line.finish()
        }
        #expect(try await HTTPBodyStream(data).collected(upTo: 9).value == Data("ab".utf8))
        let slices = AsyncStream<ArraySlice<UInt8>> { line in
            line.yield([1, 2, 3][1...])
            line.finish()
        }
        #expect(try await HTTPBodyStream(slices).collected(upTo: 9).value == Data([2, 3]))
    }

    @Test func aStreamPassesManyElementsOfASequence() async throws {
        let stream = HTTPBodyStream(
            AsyncStream<[UInt8]> { line in
                for _ in 0..<20_000 { line.yield([1]) }
                line.finish()
            })
        #expect(try await stream.collected(upTo: .max).value.count == 20_000)
    }

    @Test func iteratorsShareWhatIsLeft() async throws {
        let stream = HTTPBodyStream(texts: ["a", "b", "c"])
        var (one, other) = (stream.makeAsyncIterator(), stream.makeAsyncIterator())
        #expect(try await one.next() == Data("a".utf8))
        #expect(try await other.next() == Data("b".utf8))
        #expect(try await one.next() == Data("c".utf8))
        #expect(try await other.next() == nil)
    }
}

extension Result where Success == Data? {
    fileprivate var value: Data? { (try? get()) ?? nil }

    fileprivate var isBroken: Bool {
        if case .failure(let error) = self { return error is Broken }
        return false
    }
}

extension HTTPBodyStreamAsyncSequenceTests {
    @Test func aCancelledTaskReadsNoChunkThatIsReady() async {
        let reading = Task {
            var count = 0
            for try await _ in HTTPBodyStream(Data(count: 100), chunksOf: 1) {
                count += 1
                #expect(count <= 10)
                if count == 10 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test func aCancelledTaskReadsNoLineThatIsReady() async {
        let reading = Task {
            var count = 0
            for try await _ in HTTPBodyStream(Data("a\nb\nc\nd".utf8), chunksOf: 7).lines() {
                count += 1
                #expect(count == 1)
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await reading.value }
    }
}

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

    @Test func gatheringABodyKeepsToItsLimit() {
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
    @Test func gatheringABodyTakesLinearTime() {
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

@Suite(.oneAtATime) struct HTTPBodyStreamConcatenatedTests {
    let sources = [ScriptedSource(), ScriptedSource()]
    let opened = Locked(0)

    private func stream() -> HTTPBodyStream {
        .concatenating(
            length: 2,
            sources.map { source in
                { [opened] in
                    opened.withLock { $0 += 1 }
                    return source.stream()
                }
            })
    }

    @Test func concatenatedStreamsAreOpenedOneAfterTheOther() {
        let stream = stream()
        #expect(stream.length == 2)
        #expect(opened.withLock { $0 } == 0)
        let first = stream.next()
        sources[0].give("a")
        #expect(first.text == "a")
        let second = stream.next()
        #expect(opened.withLock { $0 } == 1)
        sources[0].give(nil)
        #expect(opened.withLock { $0 } == 2)
        sources[1].give("b")
        #expect(second.text == "b")
        let end = stream.next()
        sources[1].give(nil)
        #expect(end.text == "nil")
        #expect(sources.allSatisfy { $0.cancelled == 0 })
    }

    @Test func cancellingGivesUpTheOneThatIsRead() {
        let stream = stream()
        let chunk = stream.next()
        stream.cancel()
        #expect(chunk.failure is CancellationError)
        #expect(sources.map(\.cancelled) == [1, 0])
        #expect(opened.withLock { $0 } == 1)
    }

    @Test func anErrorOfOpeningFailsConcatenatedStreams() {
        let late = HTTPBodyStream.concatenating(
            length: nil, [{ HTTPBodyStream(texts: ["a"]) }, { throw Broken() }])
        #expect(late.next().text == "a")
        #expect(late.next().failure is Broken)
    }

    @Test func manyStreamsDoNotOverflowTheStack() {
        let parts = (0..<50_000).map { number in
            { @Sendable in HTTPBodyStream(texts: number % 2 == 0 ? [] : ["a"]) }
        }
        let all = HTTPBodyStream.concatenating(length: nil, parts).collected(upTo: .max)
        #expect(all.success?.count == 25_000)
    }

    /// At whatever moment it is cancelled, every opened stream is closed.
    @Test func cancellingAtAnyMomentLeavesNothingOpen() {
        for _ in 0..<300 {
            let sources = [ScriptedSource(), ScriptedSource()]
            let opened = Locked(0)
            let stream = HTTPBodyStream.concatenating(
                length: nil,
                sources.map { source in
                    {
                        opened.withLock { $0 += 1 }
                        return source.stream()
                    }
                })
            let chunk = stream.next()
            onThreads(2) { index in
                if index == 0 { sources[0].give(nil) } else { stream.cancel() }
            }
            #expect(chunk.failure is CancellationError)
            let wasOpened = opened.withLock { $0 }
            #expect(sources[1].cancelled == (wasOpened == 2 ? 1 : 0))
        }
    }
}
