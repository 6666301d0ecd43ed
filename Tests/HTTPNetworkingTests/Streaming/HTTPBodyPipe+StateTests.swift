import Foundation
import HTTPTestSupport
import PledgeFutures
import Testing

@testable import PledgeHTTPNetworking

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

    @Test func anOfferThatDoesNotFitEndsIt() {
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
        #expect(state.end(.success(())).reader == nil)
        #expect(state.end(.failure(Broken())).reader == nil)
        #expect(state.write(bytes(1)).words.contains("write nothing after finish()"))
        #expect(state.read().words == "2 bytes, waking 0")
        #expect(state.read().words == "end")
        #expect(state.read().words == "end")
    }

    @Test func theEndGoesToAReaderThatWaits() {
        var state = HTTPBodyPipe.State(capacity: 4)
        _ = state.read()
        #expect(state.end(.success(())).reader != nil)
        #expect(state.read().words == "end")
    }

    @Test func whoLeavesTakesAllAlong() {
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

    @Test func afterTheEndNobodyListens() {
        var state = HTTPBodyPipe.State(capacity: 1)
        _ = state.listen {}
        #expect(state.end(.success(())).handlers.count == 1)
        #expect(!state.listen {})
        #expect(state.leave().handlers.isEmpty)
    }

    @Test func whatIsReadIsNotKept() {
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
