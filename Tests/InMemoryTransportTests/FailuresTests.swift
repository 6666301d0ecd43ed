import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeInMemoryTransport
import PledgeServices
import TestSupport
import Testing

@Suite(.oneAtATime) struct FailuresTests {
    private struct Refusal: Error {}

    private func failing(
        _ failures: MemoryTransport.Failures,
        calls: Int = 1000
    ) -> [Bool] {
        let transport = MemoryTransport(
            routes: [.get("/x", answer: .text(""))],
            failures: failures
        )
        return (0..<calls).map { _ in
            if case .failure = transport.request(Endpoint(path: "/x")).result {
                true
            } else {
                false
            }
        }
    }

    @Test func aSeedFailsTheSameCalls() {
        let one = failing(.init(chance: 0.3, using: SeededGenerator(seed: 7)))
        #expect(one == failing(.init(chance: 0.3, using: SeededGenerator(seed: 7))))
        #expect(one != failing(.init(chance: 0.3, using: SeededGenerator(seed: 8))))
        #expect((250...350).contains(one.count { $0 }))
    }

    @Test(arguments: [(0.0, 0), (-1, 0), (.nan, 0), (1, 1000), (2, 1000), (.infinity, 1000)])
    func theChanceIsBounded(chance: Double, expected: Int) {
        #expect(
            failing(.init(chance: chance, using: SeededGenerator(seed: 1))).count { $0 } == expected
        )
        // The largest number a generator can give is still below 1.
        #expect(failing(.init(chance: chance, using: Largest())).count { $0 } == expected)
    }

    private struct Largest: RandomNumberGenerator { func next() -> UInt64 { .max } }

    @Test func aFailureIsALostConnectionUnlessSaidOtherwise() throws {
        let endpoint = Endpoint(path: "/x")
        let always = MemoryTransport.Failures(chance: 1, using: SeededGenerator(seed: 1))
        let lost = try #require(throws: HTTPError.self) {
            try MemoryTransport(routes: [.any("/x", answer: .text(""))], failures: always)
                .request(endpoint).result?.get()
        }
        #expect(lost.code == .connectionLost && lost.endpoint == endpoint && lost.status == nil)

        let own = MemoryTransport.Failures(chance: 1, using: SeededGenerator(seed: 1)) { _ in
            Refusal()
        }
        #expect(throws: Refusal.self) {
            try MemoryTransport(routes: [.any("/x", answer: .text(""))], failures: own)
                .request(endpoint).result?.get()
        }
    }

    @Test func aFailureTakesItsTimeAndNoAnswer() throws {
        let scheduler = ManualScheduler()
        let transport = MemoryTransport(
            routes: [.get("/x", answer: .sequence([.text("a"), .text("b")]))],
            latency: .seconds(1),
            failures: .init(chance: 0.5, using: Alternating()),
            on: scheduler
        )
        let futures = (0..<4).map { _ in transport.request(Endpoint(path: "/x")) }
        #expect(futures.allSatisfy { $0.result == nil })
        scheduler.advance(by: .seconds(1))
        #expect(throws: HTTPError.self) { try futures[0].result?.get() }
        #expect(try futures[1].result?.get() == Data("a".utf8))
        #expect(throws: HTTPError.self) { try futures[2].result?.get() }
        #expect(try futures[3].result?.get() == Data("b".utf8))
        #expect(transport.calls.count == 4)
    }

    private struct Alternating: RandomNumberGenerator {
        var isLow = false
        mutating func next() -> UInt64 {
            isLow.toggle()
            return isLow ? 0 : .max
        }
    }
}
