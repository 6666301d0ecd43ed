import PledgeComposition
import TestSupport
import Testing

@Suite struct CurryTests {
    @Test func twoArguments() {
        let subtract = curry { (a: Int, b: Int) in a - b }
        #expect(subtract(7)(2) == 5)
    }

    @Test func threeArguments() {
        @Sendable func join(_ a: Int, _ b: String, _ c: Bool) -> String { "\(a) \(b) \(c)" }
        #expect(curry(join)(1)("b")(true) == "1 b true")
    }

    @Test func operatorsAndGenericFunctions() {
        #expect(curry(-)(7)(2) == 5)
        #expect(curry(max)("a")("b") == "b")
    }

    @Test func whatIsGivenFirstIsKept() {
        let calls = Counter()
        let add = curry { (a: Int, b: Int) in
            calls.increment()
            return a + b
        }
        let addTen = add(10)
        #expect(calls.count == 0)
        #expect([1, 2, 3].map(addTen) == [11, 12, 13])
        #expect(calls.count == 3)
    }

    @Test func curriedFunctionsChain() {
        let price = chain(curry { (rate: Int, id: Int) in rate * id }(3), to: { "\($0) EUR" })
        #expect(price(7) == "21 EUR")
        #expect(combine(2, with: curry { (a: Int, b: Int) in a - b })()(9) == -7)
    }

    @Test func laws() {
        var generator = SeededGenerator(seed: 4)
        let function: @Sendable (UInt64, UInt64, UInt64) -> UInt64 = { $0 &* 3 &+ $1 &* 5 &- $2 }
        let two: @Sendable (UInt64, UInt64) -> UInt64 = { $0 &* 3 &- $1 }
        for _ in 0..<1_000 {
            let (a, b, c) = (generator.next(), generator.next(), generator.next())
            #expect(curry(two)(a)(b) == two(a, b))
            #expect(curry(function)(a)(b)(c) == function(a, b, c))
        }
    }
}
