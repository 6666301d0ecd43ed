import Foundation
import HTTPTestSupport
import PledgeFutures
import TestSupport
import Testing

@testable import PledgeHTTPNetworking

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

    @Test func oneIsOpenedAfterTheOther() {
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

    @Test func whatOpeningThrowsFailsIt() {
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
