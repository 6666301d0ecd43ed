import PledgeArticles
import PledgeComposition
import TestSupport
import Testing

@Suite struct ComposeTests {
    let increment: @Sendable (Int) -> Int = { value in value + 1 }
    let multiply: @Sendable (Int) -> Int = { value in value * value }

    @Test func theArticlesNumbers() {
        #expect(compose(multiply, and: increment)(10) == 101)
        #expect(compose(increment, and: multiply)(10) == 121)
        #expect(compose(multiply, increment)(10) == 101)
        #expect(compose(increment, multiply)(10) == 121)
    }

    @Test func typesMayChangeFromStageToStage() {
        let count = compose({ (id: Int) in "product \(id)" }, and: { $0.count })
        #expect(count(12) == 10)
        let long = compose(count, { $0 > 9 })
        #expect(long(1) == false && long(12))
    }

    @Test func compositionsOfClosuresInOneExpression() {
        let all: @Sendable (Int) -> Int = compose(
            compose(
                compose(
                    compose(
                        compose(
                            compose(
                                compose(
                                    compose({ $0 + 1 }, and: { $0 * 3 }),
                                    and: { $0 - 2 }
                                ),
                                and: { $0 * 5 }
                            ),
                            and: { $0 + 7 }
                        ),
                        and: { $0 * 11 }
                    ),
                    and: { $0 - 13 }
                ),
                and: { $0 * 17 }
            ),
            and: { $0 + 19 }
        )
        #expect(all(1) == (((((1 + 1) * 3 - 2) * 5 + 7) * 11 - 13) * 17) + 19)
    }

    @Test func isChainUnderAnotherName() {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<1_000 {
            let f = randomFunction(using: &generator)
            let g = randomFunction(using: &generator)
            let value = generator.next()
            #expect(compose(f, and: g)(value) == chain(f, to: g)(value))
            #expect(compose(f, g)(value) == chain(f, to: g)(value))
        }
    }
}
