import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import Testing

@Suite struct HTTPBodyStreamLengthTests {
    @Test func theRightLengthComesThrough() {
        let stream = HTTPBodyStream(texts: ["ab", "c"]).checkingLength(3)
        #expect(stream.length == 3)
        #expect(stream.collected(upTo: 10).success == Data("abc".utf8))
        #expect(HTTPBodyStream(texts: []).checkingLength(0).next().text == "nil")
    }

    @Test func whatIsTooMuchIsNotGiven() {
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

    @Test func anEndThatComesTooSoonFails() {
        let stream = HTTPBodyStream(texts: ["ab"]).checkingLength(3)
        #expect(stream.next().text == "ab")
        #expect(stream.next().failureCode == .bodyLengthMismatch)
    }

    @Test func cancellingReachesTheSource() {
        let source = ScriptedSource()
        let stream = source.stream().checkingLength(3)
        _ = stream.next()
        stream.cancel()
        #expect(source.cancelled == 1)
        let unread = ScriptedSource()
        _ = unread.stream().checkingLength(3)
        #expect(unread.cancelled == 1)
    }

    @Test func anErrorComesThrough() {
        let source = ScriptedSource()
        let chunk = source.stream().checkingLength(3).next()
        source.last?.reject(with: Broken())
        #expect(chunk.failure is Broken)
    }
}
