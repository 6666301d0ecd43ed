import Foundation
import HTTPTestSupport
import PledgeFutures
import TestSupport
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPTransportKit

@Suite(.oneAtATime) struct HTTPBodyPipeTests {
    private func data(_ text: String) -> Data { Data(text.utf8) }

    @Test func aPipeGivesWhatIsWrittenInOrder() {
        let (pipe, body) = HTTPBodyPipe.make(length: 3)
        #expect(body.length == 3)
        pipe.write(data("a"))
        pipe.write(data("b"))
        #expect(body.next().text == "a")
        #expect(body.next().text == "b")
        let third = body.next()
        #expect(third.result == nil)
        pipe.write(data("c"))
        #expect(third.text == "c")
        let end = body.next()
        pipe.finish()
        #expect(end.text == "nil")
    }

    @Test func aWriterWaitsForTheReader() {
        let (pipe, body) = HTTPBodyPipe.make(capacity: 2)
        #expect(pipe.write(data("a")).success != nil)
        let room = pipe.write(data("bc"))
        #expect(room.result == nil)
        _ = body.next()
        #expect(room.result == nil)
        _ = body.next()
        #expect(room.success != nil)
    }

    @Test func aFailureComesAfterWhatWasWritten() {
        let (pipe, body) = HTTPBodyPipe.make()
        pipe.write(data("a"))
        pipe.fail(Broken())
        pipe.finish()
        #expect(body.next().text == "a")
        #expect(body.next().failure is Broken)
        #expect(pipe.write(data("b")).failure is Broken)
        #expect(!pipe.isOpen)
    }

    @Test func aPipeThatHasEndedTakesNothing() {
        let (pipe, body) = HTTPBodyPipe.make()
        pipe.finish()
        #expect(pipe.write(data("a")).failureCode == .bodyEnded)
        #expect(!pipe.offer(data("a")))
        #expect(body.next().text == "nil")
    }

    @Test func whatCannotBeHeldBackIsBounded() {
        let (pipe, body) = HTTPBodyPipe.make(capacity: 3)
        #expect(pipe.offer(data("ab")))
        #expect(!pipe.offer(data("cd")))
        #expect(!pipe.isOpen)
        #expect(body.next().text == "ab")
        #expect(body.next().failureCode == .bodyTooLarge)
    }

    @Test func aReleasedPipeFailsTheBody() {
        var ends: (pipe: HTTPBodyPipe?, body: HTTPBodyStream) = HTTPBodyPipe.make()
        ends.pipe?.write(data("a"))
        ends.pipe = nil
        #expect(ends.body.next().text == "a")
        #expect(ends.body.next().failureCode == .bodyAbandoned)
    }

    @Test func theWriterHearsThatTheReaderHasGone() {
        let (pipe, body) = HTTPBodyPipe.make(capacity: 1)
        let heard = Locked(0)
        pipe.onCancel { heard.withLock { $0 += 1 } }
        let room = pipe.write(data("abc"))
        body.cancel()
        #expect(heard.withLock { $0 } == 1)
        #expect(room.failure is CancellationError)
        #expect(pipe.write(data("d")).failure is CancellationError)
        #expect(!pipe.offer(data("d")))
        pipe.onCancel { heard.withLock { $0 += 1 } }
        #expect(heard.withLock { $0 } == 2)
        body.cancel()
        #expect(heard.withLock { $0 } == 2)
    }

    @Test func theWriterHearsOfABodyThatIsReleasedUnread() {
        let heard = Locked(0)
        let pipe = HTTPBodyPipe.make().pipe
        pipe.onCancel { heard.withLock { $0 += 1 } }
        #expect(heard.withLock { $0 } == 1)
        #expect(!pipe.isOpen)
    }

    @Test func aWaitingChunkThatIsCancelledIsHeardOf() {
        let (pipe, body) = HTTPBodyPipe.make()
        let heard = Locked(0)
        pipe.onCancel { heard.withLock { $0 += 1 } }
        body.next().cancel()
        #expect(heard.withLock { $0 } == 1)
    }

    @Test func aReaderThatLeavesAfterTheEndIsNotHeardOf() {
        let (pipe, body) = HTTPBodyPipe.make()
        let heard = Locked(0)
        pipe.onCancel { heard.withLock { $0 += 1 } }
        pipe.write(data("a"))
        pipe.finish()
        pipe.onCancel { heard.withLock { $0 += 1 } }
        body.cancel()
        #expect(heard.withLock { $0 } == 0)
    }

    /// Each of these calls a method of the pipe from one of its callbacks.
    @Test func whoIsToldMayCallThePipe() {
        let (pipe, body) = HTTPBodyPipe.make(capacity: 1)
        pipe.write(data("a")).observe { _ in pipe.write(data("b")) }
        #expect(body.next().text == "a")
        #expect(body.next().text == "b")
        body.next().observe { _ in pipe.finish() }
        pipe.write(data("c"))
        #expect(body.next().text == "nil")
        let (other, unread) = HTTPBodyPipe.make()
        other.onCancel { other.finish() }
        unread.cancel()
        #expect(!other.isOpen)
    }

    /// The objects that a handler captures are released when the pipe ends, and may use the body then.
    @Test func aHandlerIsReleasedWithoutTheLock() {
        final class Reader: Sendable {
            let body: HTTPBodyStream
            init(_ body: HTTPBodyStream) { self.body = body }
            deinit { body.cancel() }
        }
        for overflows in [false, true] {
            let (pipe, body) = HTTPBodyPipe.make(capacity: 1)
            var reader: Reader? = Reader(body)
            weak let held = reader
            pipe.onCancel { [reader] in withExtendedLifetime(reader) {} }
            reader = nil
            #expect(held != nil)
            if overflows { #expect(!pipe.offer(data("ab"))) } else { pipe.finish() }
            #expect(held == nil)
            #expect(body.next().failure is CancellationError)
        }
    }

    @Test func manyThreadsLoseNothingInAPipe() async throws {
        for round in 0..<20 {
            let (pipe, body) = HTTPBodyPipe.make(capacity: 64)
            let left = Locked(4)
            let sum = Locked(0)
            let end = body.forEach { chunk in
                sum.withLock { $0 += chunk.reduce(0) { $0 + Int($1) } }
                return Future(value: ())
            }
            onThreads(4) { index in
                for number in 0..<200 { pipe.write(Data([UInt8(number % 7), UInt8(index)])) }
                let isLast = left.withLock { left in
                    left -= 1
                    return left == 0
                }
                if isLast { round % 2 == 0 ? pipe.finish() : pipe.fail(Broken()) }
            }
            let expected = 4 * (0..<200).reduce(0) { $0 + $1 % 7 } + 200 * (0 + 1 + 2 + 3)
            switch await end.resultWhenSettled {
            case .success: #expect(round % 2 == 0)
            case .failure(let error): #expect(error is Broken && round % 2 == 1)
            }
            #expect(sum.withLock { $0 } == expected)
        }
    }

    /// One thread writes, another reads, each as fast as the other allows.
    @Test func theOrderIsKeptAcrossThreads() {
        let (pipe, body) = HTTPBodyPipe.make(capacity: 16)
        let read = Locked<[UInt8]>([])
        let done = DispatchSemaphore(value: 0)
        onThreads(2) { index in
            if index == 0 {
                @Sendable func write(_ number: Int) -> Future<Void> {
                    guard number < 2_000 else {
                        pipe.finish()
                        return Future(value: ())
                    }
                    return pipe.write(Data([UInt8(number % 251)])).flatMap { write(number + 1) }
                }
                write(0).observe { _ in done.signal() }
            } else {
                body.forEach { chunk in
                    read.withLock { $0 += chunk }
                    return Future(value: ())
                }
                .observe { _ in done.signal() }
            }
        }
        done.wait()
        done.wait()
        #expect(read.withLock { $0 } == (0..<2_000).map { UInt8($0 % 251) })
    }

    @Test func leavingAndWritingAtOnceLeavesNobodyWaiting() {
        for _ in 0..<300 {
            let (pipe, body) = HTTPBodyPipe.make(capacity: 1)
            let heard = Locked(0)
            let writes = Locked<[Future<Void>]>([])
            onThreads(4) { index in
                switch index {
                case 0: pipe.onCancel { heard.withLock { $0 += 1 } }
                case 1: body.cancel()
                case 2: _ = body.next()
                default:
                    for _ in 0..<3 {
                        let write = pipe.write(Data([1, 2]))
                        writes.withLock { $0.append(write) }
                    }
                }
            }
            #expect(heard.withLock { $0 } == 1)
            #expect(writes.withLock { $0 }.allSatisfy { $0.result != nil })
        }
    }
}

/// The machine alone, without threads.
@Suite struct HTTPBodyPipeStateTests {
    private func bytes(_ count: Int) -> Data { Data(repeating: 1, count: count) }

    @Test func aWriterHasRoomUntilTheCapacityIsReached() {
        var state = HTTPBodyPipe.State(capacity: 4)
        #expect(state.write(bytes(3)).words == "room")
        #expect(state.buffered == 3)
        #expect(state.write(bytes(3)).words == "full")
        #expect(state.write(bytes(1)).words == "full")
        #expect(state.buffered == 7)
        #expect(state.read().words == "3 bytes, waking 0")
        // 4 bytes are left: as many as the capacity, so there is no room yet.
        #expect(state.read().words == "3 bytes, waking 2")
        #expect(state.read().words == "1 bytes, waking 0")
        #expect(state.buffered == 0)
    }

    @Test func aReaderThatWaitsGetsTheChunkPastTheBuffer() {
        var state = HTTPBodyPipe.State(capacity: 1)
        #expect(state.read().words == "waiting")
        #expect(state.write(bytes(9)).words == "handed")
        #expect(state.buffered == 0)
        #expect(state.read().words == "waiting")
        #expect(state.offer(bytes(9)).words == "handed")
    }

    @Test func anEmptyChunkLetsTheReaderWait() {
        var state = HTTPBodyPipe.State(capacity: 1)
        _ = state.read()
        #expect(state.write(Data()).words == "room")
        #expect(state.offer(Data()).words == "room")
        #expect(state.write(bytes(1)).words == "handed")
    }

    @Test func anOfferThatDoesNotFitEndsAPipe() {
        var state = HTTPBodyPipe.State(capacity: 4)
        #expect(state.offer(bytes(4)).words == "room")
        #expect(state.offer(Data()).words == "room")
        #expect(state.offer(bytes(1)).words == "overflow")
        #expect(!state.isOpen)
        #expect(state.offer(bytes(1)).words == "refused: the body is too large")
        #expect(state.write(bytes(1)).words == "refused: the body is too large")
        #expect(state.read().words == "4 bytes, waking 0")
        #expect(state.read().words == "failed: the body is too large")
    }

    @Test func theEndComesAfterWhatWasWritten() {
        var state = HTTPBodyPipe.State(capacity: 4)
        _ = state.write(bytes(2))
        #expect(state.endWriting(.success(())).reader == nil)
        #expect(state.endWriting(.failure(Broken())).reader == nil)
        #expect(state.write(bytes(1)).words.contains("write nothing after finish()"))
        #expect(state.read().words == "2 bytes, waking 0")
        #expect(state.read().words == "end")
        #expect(state.read().words == "end")
    }

    @Test func theEndGoesToAReaderThatWaits() {
        var state = HTTPBodyPipe.State(capacity: 4)
        _ = state.read()
        #expect(state.endWriting(.success(())).reader != nil)
        #expect(state.read().words == "end")
    }

    @Test func aReaderThatLeavesEmptiesThePipe() {
        var state = HTTPBodyPipe.State(capacity: 1)
        #expect(!state.listen {})
        _ = state.write(bytes(1))
        let dismissed = state.leave()
        #expect(dismissed.writers.count == 1)
        #expect(dismissed.handlers.count == 1)
        #expect(state.buffered == 0)
        #expect(state.write(bytes(1)).words == "refused: CancellationError()")
        #expect(state.read().words == "failed: CancellationError()")
        let second = state.listen {}
        #expect(second)
        #expect(state.leave().handlers.isEmpty)
    }

    @Test func aPipeThatHasEndedHasNoListener() {
        var state = HTTPBodyPipe.State(capacity: 1)
        _ = state.listen {}
        #expect(state.endWriting(.success(())).handlers.count == 1)
        #expect(!state.listen {})
        #expect(state.leave().handlers.isEmpty)
    }

    @Test func aPipeKeepsNothingThatIsRead() {
        var state = HTTPBodyPipe.State(capacity: .max)
        for _ in 0..<1_000 {
            for _ in 0..<3 { _ = state.write(bytes(1)) }
            for _ in 0..<2 { _ = state.read() }
        }
        #expect(state.buffered == 1_000)
        #expect(state.size <= 2_100)
    }
}

extension HTTPBodyPipe.State.WriteResult {
    fileprivate var words: String {
        switch self {
        case .room: "room"
        case .handed: "handed"
        case .full: "full"
        case .overflow: "overflow"
        case .refused(let error):
            "refused: \((error as? HTTPError)?.code.description ?? "\(error)")"
        }
    }
}

extension HTTPBodyPipe.State.ReadResult {
    fileprivate var words: String {
        switch self {
        case .chunk(let data, let writers): "\(data.count) bytes, waking \(writers.count)"
        case .waiting: "waiting"
        case .end(.success): "end"
        case .end(.failure(let error)):
            "failed: \((error as? HTTPError)?.code.description ?? "\(error)")"
        }
    }
}
