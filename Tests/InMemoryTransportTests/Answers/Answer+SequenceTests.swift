import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeInMemoryTransport
import Testing

@Suite struct AnswerSequenceTests {
    private typealias Answer = MemoryTransport.Answer

    private func texts(_ transport: MemoryTransport, _ count: Int) -> [String] {
        (0..<count).map { _ in
            switch transport.request(Endpoint(path: "/x")).result {
            case .success(let data): String(decoding: data, as: UTF8.self)
            case .failure(let error as HTTPError): "\(error.status ?? 0)"
            default: "?"
            }
        }
    }

    @Test func eachCallTakesTheNextAndTheLastStays() {
        let answer = Answer.sequence([.status(503), .text("a"), .text("b")])
        let transport = MemoryTransport(routes: [.get("/x", answer: answer)])
        #expect(texts(transport, 5) == ["503", "a", "b", "b", "b"])
    }

    @Test func eachTransportBeginsAtTheFirst() {
        let route = MemoryTransport.Route.get("/x", answer: .sequence([.text("a"), .text("b")]))
        #expect(texts(MemoryTransport(routes: [route]), 2) == ["a", "b"])
        #expect(texts(MemoryTransport(routes: [route]), 2) == ["a", "b"])
    }

    @Test func sequencesNest() {
        let answer = Answer.sequence([
            .sequence([.text("a"), .text("b")]), .text("c"), .sequence([.text("d"), .text("e")]),
        ])
        let transport = MemoryTransport(routes: [.get("/x", answer: answer)])
        #expect(texts(transport, 5) == ["a", "c", "d", "e", "e"])
    }

    @Test func anEmptyOneRejects() throws {
        let transport = MemoryTransport(routes: [.get("/x", answer: .sequence([]))])
        let error = try #require(throws: MemoryTransport.AnswerFailure.self) {
            try transport.request(Endpoint(path: "/x")).result?.get()
        }
        #expect(error.code == .emptySequence && error.description.contains("GET /x"))
    }

    @Test func answersAreTakenInTheOrderOfTheCalls() throws {
        let scheduler = ManualScheduler()
        let transport = MemoryTransport(
            routes: [.get("/x", answer: .sequence([.text("a"), .text("b")]))],
            latency: .seconds(1),
            on: scheduler
        )
        let first = transport.request(Endpoint(path: "/x"))
        let second = transport.request(Endpoint(path: "/x"))
        first.cancel()
        scheduler.advance(by: .seconds(1))
        #expect(
            try second.result?.get() == Data("b".utf8),
            "the cancelled call had taken the first"
        )
    }
}
