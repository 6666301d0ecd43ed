import PledgeComposition
import TestSupport
import Testing

@Suite struct CombineTests {
    @Test func oneValue() {
        let load: () -> String = combine(7, with: { "product \($0)" })
        #expect(load() == "product 7")
    }

    @Test func anyNumberOfValuesKeepTheirOrderAndTypes() {
        @Sendable func join(_ a: Int, _ b: String, _ c: Bool, _ d: [Int], _ e: Double?) -> String {
            "\(a) \(b) \(c) \(d) \(String(describing: e))"
        }
        #expect(combine(1, "b", true, [4, 5], nil, with: join)() == "1 b true [4, 5] nil")
        #expect(combine(3, 1, with: -)() == 2)
        #expect(combine(with: { "none" })() == "none")
    }

    @Test func aTupleIsOneValue() {
        let swap: @Sendable ((Int, Int)) -> [Int] = { [$0.1, $0.0] }
        #expect(combine((1, 2), with: swap)() == [2, 1])
        #expect(combine((1, 2), 3, with: { [$0.1, $0.0, $1] })() == [2, 1, 3])
    }

    #if compiler(>=6.3)  // 6.2.3, built with assertions, ends at an empty tuple in a parameter pack
    @Test func voidIsAValueToo() {
        let answer: @Sendable (()) -> Int = { _ in 42 }
        #expect(combine((), with: answer)() == 42)
        let print: @Sendable (Int, (), String) -> String = { number, _, text in "\(number)\(text)" }
        #expect(combine(1, (), "b", with: print)() == "1b")
    }
    #endif

    @Test func valuesAreCapturedWhenCombined() {
        var id = 1
        let load = combine(id, with: { $0 * 10 })
        id = 2
        #expect(load() == 10)
        #expect(id == 2)
    }

    @Test func everyCallCallsAnew() {
        let calls = Counter()
        let count = combine(calls, with: { $0.increment() })
        #expect(calls.count == 0)
        #expect([count(), count(), count()] == [1, 2, 3])
    }

    @Test func throwsNothingAwayWhenReleased() {
        weak var kept: Counter?
        do {
            let counter = Counter()
            kept = counter
            let count = combine(counter, 5, with: { counter, _ in counter.increment() })
            #expect(count() == 1)
            #expect(kept != nil)
        }
        #expect(kept == nil)
    }

    @Test func combinesWithMethodsAndInitializers() {
        #expect(combine("7", with: Int.init)() == 7)
        let word = "product"
        #expect(combine("pro", with: word.hasPrefix)())
    }

    @Test func theResultCrossesThreads() async {
        let double = combine(21, with: { $0 * 2 })
        let value = await Task.detached { double() }.value
        #expect(value == 42)
    }

    @Test func isTheCallItself() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<1_000 {
            let function = randomFunction(using: &generator)
            let value = generator.next()
            #expect(combine(value, with: function)() == function(value))
        }
    }
}
