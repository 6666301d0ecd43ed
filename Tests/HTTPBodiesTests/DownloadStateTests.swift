import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPBodies

@Suite struct DownloadStateTests {
    private var state = DownloadState(url: "s")

    private func encodedAgain(_ state: DownloadState) -> DownloadState? {
        DownloadState(encoded: state.encoded)
    }

    private func started(_ total: Int64?, upTo next: Int) -> DownloadState {
        var state = state
        let step = state.receive(
            200, isAccepted: true, ["ETag": "\"1\""], length: total, for: 0)
        #expect(step == .rewrite(upTo: total))
        state.advance(0, by: next)
        return state
    }

    @Test("the record is read as it was written; a whole file lacks its last byte")
    func aRecordIsReadAsItWasWritten() {
        for state in [started(10, upTo: 4), started(nil, upTo: 4)] {
            #expect(encodedAgain(state) == state)
        }
        let whole = encodedAgain(started(10, upTo: 10))
        #expect(whole?.parts == [.init(next: 9, end: 10)])
        #expect(whole?.headers(of: 0)["Range"] == "bytes=9-")
        // Without a validator, nothing can be continued.
        #expect(encodedAgain(state) == nil)
        var divided = started(50_000_000, upTo: 1_000)
        divided.divide(into: 3)
        #expect(divided.parts.count == 3 && encodedAgain(divided) == divided)
    }

    @Test("a download's parts are all missing bytes, of at least a mebibyte each")
    func aDownloadsPartsAreAllMissingBytes() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            let total = Int64.random(in: 1...40_000_000, using: &random)
            let next = Int.random(in: 0..<Int(total), using: &random)
            var state = started(total, upTo: next)
            let count = Int.random(in: 1...32, using: &random)
            state.divide(into: count)
            #expect(state.parts.count <= count && state.parts.last?.end == total)
            #expect(state.parts[0].next == Int64(next) && state.received == Int64(next))
            for (left, right) in zip(state.parts, state.parts.dropFirst()) {
                #expect(left.end == right.next)
            }
            if state.parts.count > 1 {
                #expect(state.parts.allSatisfy { ($0.end ?? 0) - $0.next >= 1 << 20 })
            }
            let divided = state
            state.divide(into: count)
            #expect(state.parts.count == 1 || state == divided)
        }
    }

    @Test func theHeadersAskForAPartOnlyIfTheFileIsStillTheSame() {
        #expect(state.headers(of: 0).isEmpty)
        let one = started(10, upTo: 4)
        #expect(one.headers(of: 0)["Range"] == "bytes=4-")
        #expect(one.headers(of: 0)["If-Range"] == "\"1\"")
        var first = state
        first.divide(into: 2)
        #expect(first.headers(of: 0)["Range"] == "bytes=0-1048575")
        #expect(first.headers(of: 0)["If-Range"] == nil)
    }

    @Test func a416OfAnotherFileEndsNothing() {
        var state = started(nil, upTo: 4)
        func step(_ tag: String) -> DownloadState.Step {
            state.receive(
                416, isAccepted: true, ["ETag": tag, "Content-Range": "bytes */4"], length: 0,
                for: 0)
        }
        #expect(step("\"2\"") == .restart("the server has no such range"))
        #expect(step("\"1\"") == .end)
    }

    @Test func aSizeNearTheLargestIntegerDoesNotOverflow() {
        var state = started(.max, upTo: 5)
        state.divide(into: 32)
        #expect(state.parts.count == 32 && state.parts.last?.end == .max)
        #expect(encodedAgain(state) == state)
        let step = state.receive(
            206, isAccepted: true,
            ["Content-Range": "bytes 5-9223372036854775806/9223372036854775807"], length: nil,
            for: 0)
        #expect(step == .restart("another part came than was asked for"))
    }
}
