import PledgeComposition
import PledgeFutures
import Testing

@Suite struct CombineThrowingTests {
    private struct Refusal: Error, Equatable {}

    @Sendable private static func load(_ number: Int) throws -> Future<Int> {
        guard number > 0 else { throw Refusal() }
        return Future(value: number)
    }

    @Sendable private static func sum(_ left: Int, _ right: Int) throws -> Future<Int> {
        try load(left + right)
    }

    @Test func whatAFunctionOfOneValueThrowsRejectsTheFuture() throws {
        #expect(try combine(7, with: Self.load)().result?.get() == 7)
        #expect(throws: Refusal()) { try combine(0, with: Self.load)().result?.get() }
    }

    @Test func whatAFunctionOfSeveralValuesThrowsRejectsTheFuture() throws {
        #expect(try combine(7, 1, with: Self.sum)().result?.get() == 8)
        #expect(throws: Refusal()) { try combine(7, -7, with: Self.sum)().result?.get() }
    }
}
