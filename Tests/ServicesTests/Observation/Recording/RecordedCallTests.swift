import PledgeFutures
import Testing

@testable import PledgeServices

@Suite struct RecordedCallTests {
    func call(_ events: [PolicyEvent], limit: Int = 100) -> RecordedCall {
        var call = RecordedCall(number: 1)
        for event in events { call.add(RecordedEvent(event), limit: limit) }
        return call
    }

    @Test func spansHaveABeginningAndAnEnd() {
        let call = call([
            .made(.began(name: "load"), at: 5), .made(.began(name: "attempt 1"), span: 2, in: 1),
            .made(.ended(.failure), at: 9, span: 2, in: 1),
        ])
        #expect(call.name == "load")
        #expect(!call.isOver)
        #expect(call.spans.map(\.end?.offset) == [nil, .milliseconds(9)])
        #expect(call.spans.map(\.parent) == [nil, 1])
        #expect(call.span(2)?.outcome == "failure")
    }

    @Test func whatIsHeardTwiceOrNeverBeganChangesNothing() {
        let call = call([
            .made(.ended(.failure)), .made(.began(name: "load"), at: 1),
            .made(.began(name: "again"), at: 2), .made(.ended(.success), at: 3),
            .made(.ended(.failure), at: 4), .made(.ended(.failure), at: 4, span: 9),
        ])
        #expect(call.spans.count == 1)
        #expect(call.name == "load")
        #expect(call.spans[0].start.offset == .milliseconds(1))
        #expect(call.spans[0].end?.offset == .milliseconds(3))
        #expect(call.spans[0].outcome == "success")
    }

    @Test func beyondTheLimitEventsAreCountedAndEndsStillArrive() {
        let call = call(
            [.made(.began(name: "load")), .made(.hit)]
                + (2...9).map { .made(.began(name: "attempt \($0)"), span: $0, in: 1) }
                + [.made(.miss), .made(.ended(.success), at: 7)],
            limit: 3)
        #expect(call.spans.map(\.number) == [1, 2])
        #expect(call.marks.map(\.word) == ["hit"])
        #expect(call.eventsDropped == 8)
        #expect(call.spans[0].end?.offset == .milliseconds(7))
    }

    @Test func anEndBeforeTheBeginningIsAtIt() {
        let call = call([.made(.began(name: "load"), at: 5), .made(.ended(), at: 3)])
        #expect(call.spans[0].end == call.spans[0].start)
    }

    @Test func rowsAreTheTreeInOrderOfTime() {
        let call = call([
            .made(.began(name: "a"), at: 0), .made(.began(name: "c"), at: 20, span: 3, in: 1),
            .made(.began(name: "b"), at: 10, span: 2, in: 1),
            .made(.hit, at: 15, span: 1), .made(.began(name: "d"), at: 30, span: 4, in: 2),
            .made(.miss, at: 25, span: 77), .made(.began(name: "e"), at: 1, span: 5, in: 88),
        ])
        let rows = call.rows.map { row in
            switch row.content {
            case .span(let span): "\(row.depth) \(span.name)"
            case .mark(let mark): "\(row.depth) \(mark.word)"
            }
        }
        #expect(rows == ["0 a", "1 b", "2 d", "1 hit", "1 c", "0 e", "0 miss"])
    }

    @Test func spansThatAreTheirOwnAncestorsAreStillThere() {
        let call = call([
            .made(.began(name: "a"), span: 1, in: 1), .made(.began(name: "b"), span: 2, in: 3),
            .made(.began(name: "c"), span: 3, in: 2),
        ])
        #expect(call.rows.count == 3)
    }

    @Test func nestingNeedsNoStack() {
        let call = call(
            (1...20_000).map { .made(.began(name: "\($0)"), span: $0, in: $0 - 1) },
            limit: 20_000)
        #expect(call.rows.map(\.depth) == Array(0..<20_000))
    }
}
