import Testing

@testable import PledgeServices

@Suite struct AIMDLimitTests {
    private func machine(_ initial: Int, _ bounds: ClosedRange<Int> = 20...200) -> AIMDLimit {
        AIMDLimit(
            initial: initial, bounds: bounds, decrease: 0.9, slowCallDuration: .seconds(5))
    }

    @Test func growsByOneWhileHalfOfItIsUsed() {
        #expect(machine(31).limit(after: .made(10, inFlight: 16)) == 32)
        #expect(machine(31).limit(after: .made(10, inFlight: 15)) == 31)
        #expect(machine(30).limit(after: .made(10, inFlight: 15)) == 31)
    }

    @Test func shrinksByATenthWithEachDropHoweverMuchIsUsed() {
        var machine = machine(100)
        let limits = (0..<4).map { _ in
            machine.record(.made(10, inFlight: 1, isDrop: true))
            return machine.limit
        }
        #expect(limits == [90, 81, 72, 64])
    }

    @Test func shrinksAlsoWhereATenthIsLessThanOne() {
        var machine = machine(4, 1...200)
        let limits = (0..<5).map { _ in
            machine.record(.made(10, isDrop: true))
            return machine.limit
        }
        #expect(limits == [3, 2, 1, 1, 1])
    }

    @Test func staysWithinItsBounds() {
        #expect(machine(20).limit(after: .made(10, isDrop: true)) == 20)
        #expect(machine(200).limit(after: .made(10, inFlight: 200)) == 200)
    }

    @Test func aSlowAnswerIsADrop() {
        #expect(machine(100).limit(after: .made(5_000, inFlight: 100)) == 101)
        #expect(machine(100).limit(after: .made(5_001, inFlight: 100)) == 90)
    }
}
