import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct RecordedCallsTests {
    func began(_ call: UInt64) -> RecordedEvent {
        RecordedEvent(.made(.began(name: "\(call)"), call: call))
    }

    @Test func theOldestMakesRoom() {
        var calls = RecordedCalls(callLimit: 3, eventLimit: 10)
        #expect(calls.last == nil)
        for call in 1...7 as ClosedRange<UInt64> {
            calls.add(began(call))
            #expect(calls.last?.number == call)
            #expect(calls.count == min(Int(call), 3))
            #expect(
                calls.all.map(\.number)
                    == Array(max(1, Int64(call) - 2)...Int64(call)).map(UInt64.init))
        }
    }

    @Test func whatHadToMakeRoomDoesNotComeBack() {
        var calls = RecordedCalls(callLimit: 1, eventLimit: 10)
        calls.add(began(1))
        calls.add(began(2))
        calls.add(RecordedEvent(.made(.ended(), call: 1)))
        calls.add(RecordedEvent(.made(.hit, call: 1)))
        calls.add(RecordedEvent(.made(.began(name: "attempt 2"), by: "retry", call: 1, span: 3)))
        #expect(calls.all.map(\.number) == [2])
    }

    @Test func nothingIsLeftOfThoseThatAreForgotten() {
        var calls = RecordedCalls(callLimit: 2, eventLimit: 10)
        for call in 1...3 as ClosedRange<UInt64> { calls.add(began(call)) }
        calls.removeAll()
        #expect(calls.all.isEmpty)
        #expect(calls.last == nil)
        calls.add(began(9))
        #expect(calls.all.map(\.number) == [9])
    }

    /// Compared with a list of calls, event by event.
    @Test func oracle() {
        var chance = SeededGenerator(seed: 11)
        for limit in 1...5 {
            var calls = RecordedCalls(callLimit: limit, eventLimit: 4)
            var expected: [(call: UInt64, marks: Int)] = []
            for next in 1...200 as ClosedRange<UInt64> {
                if Bool.random(using: &chance) || expected.isEmpty {
                    calls.add(began(next))
                    expected.append((next, 0))
                    if expected.count > limit { expected.removeFirst() }
                } else {
                    let call = UInt64.random(in: 1...next, using: &chance)
                    calls.add(RecordedEvent(.made(.hit, call: call)))
                    if let index = expected.firstIndex(where: { $0.call == call }) {
                        expected[index].marks += 1
                    }
                }
                #expect(calls.all.map(\.number) == expected.map(\.call))
                #expect(calls.all.map(\.marks.count) == expected.map { min($0.marks, 3) })
                #expect(calls.all.map(\.eventsDropped) == expected.map { max($0.marks - 3, 0) })
            }
        }
    }
}
