import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import Testing

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

    @Test func itIsReadToTheEnd() async throws {
        let chunks = Counted(count: 3)
        let stream = HTTPBodyStream(length: 3, chunks)
        #expect(stream.length == 3)
        let all = try await stream.collected(upTo: 3).value
        #expect(Array(all) == [1, 2, 3])
        #expect(try await stream.next().value == nil)
        #expect(chunks.state.withLock { $0 } == (4, 1))
    }

    @Test func itIsNotPulledAhead() async throws {
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

    @Test func whatItThrowsStays() async {
        let stream = HTTPBodyStream(Counted(count: 1, fails: true))
        #expect(await stream.next().resultWhenSettled.value == Data([1]))
        for _ in 0..<2 { #expect(await stream.next().resultWhenSettled.isBroken) }
    }

    @Test func cancellingReachesItsTask() async throws {
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

    @Test func manyElementsGoThrough() async throws {
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
