import PledgeComposition
import PledgeFutures
import Testing

@Suite struct ChainThrowingTests {
    private struct Refusal: Error, Equatable {}

    @Sendable private static func parse(_ text: String) throws -> Int {
        guard let number = Int(text) else { throw Refusal() }
        return number
    }

    @Sendable private static func double(_ number: Int) -> Future<Int> { Future(value: 2 * number) }

    @Sendable private static func check(_ number: Int) throws -> Future<Int> {
        guard number < 10 else { throw Refusal() }
        return Future(value: number)
    }

    @Test func anErrorOfTheFirstFunctionOfAChainRejectsTheFuture() throws {
        let doubled = chain(Self.parse, to: Self.double)
        #expect(try doubled("7").result?.get() == 14)
        #expect(throws: Refusal()) { try doubled("x").result?.get() }
    }

    @Test func anErrorOfTheSecondFunctionOfAChainRejectsTheFuture() throws {
        let checked = chain(Self.parse, to: Self.check)
        #expect(try checked("7").result?.get() == 7)
        #expect(throws: Refusal()) { try checked("70").result?.get() }
        let alsoChecked = chain({ (number: Int) in number }, to: Self.check)
        #expect(throws: Refusal()) { try alsoChecked(70).result?.get() }
    }

    @Test func functionsThatDoNotThrowAreChainedAsEver() throws {
        let doubled: @Sendable (Int) -> Future<Int> = chain({ $0 + 1 }, to: Self.double)
        #expect(try doubled(6).result?.get() == 14)
    }
}

@Suite struct CombineThrowingTests {
    private struct Refusal: Error, Equatable {}

    @Sendable private static func load(_ number: Int) throws -> Future<Int> {
        guard number > 0 else { throw Refusal() }
        return Future(value: number)
    }

    @Sendable private static func sum(_ left: Int, _ right: Int) throws -> Future<Int> {
        try load(left + right)
    }

    @Test func aCombinedFunctionOfOneValueThatThrowsRejectsItsFuture() throws {
        #expect(try combine(7, with: Self.load)().result?.get() == 7)
        #expect(throws: Refusal()) { try combine(0, with: Self.load)().result?.get() }
    }

    @Test func aCombinedFunctionOfSeveralValuesThatThrowsRejectsItsFuture() throws {
        #expect(try combine(7, 1, with: Self.sum)().result?.get() == 8)
        #expect(throws: Refusal()) { try combine(7, -7, with: Self.sum)().result?.get() }
    }
}
