import PledgeComposition
import Synchronization
import TestSupport
import Testing

@Suite struct ChainTests {
    @Test func innerThenOuter() {
        let describe = chain({ (id: Int) in id * 10 }, to: { "product \($0)" })
        #expect(describe(7) == "product 70")
    }

    @Test func eachFunctionRunsOncePerCall() {
        let inner = Counter()
        let outer = Counter()
        let both = chain({ (_: Int) in inner.increment() }, to: { $0 * 100 + outer.increment() })
        #expect(inner.count == 0 && outer.count == 0)
        #expect(both(0) == 101)
        #expect(both(0) == 202)
    }

    @Test func sixteenStagesInOneExpression() {
        let all = chain(
            chain(
                chain(
                    chain(
                        chain(
                            chain(
                                chain(
                                    chain(
                                        chain(
                                            chain(
                                                chain(
                                                    chain(
                                                        chain(
                                                            chain(chain(next, to: next), to: next),
                                                            to: next
                                                        ),
                                                        to: next
                                                    ),
                                                    to: next
                                                ),
                                                to: next
                                            ),
                                            to: next
                                        ),
                                        to: next
                                    ),
                                    to: next
                                ),
                                to: next
                            ),
                            to: next
                        ),
                        to: next
                    ),
                    to: next
                ),
                to: next
            ),
            to: next
        )
        #expect(all(0) == 16)
    }

    @Test func aThousandStagesBuiltInALoop() {
        var all: @Sendable (Int) -> Int = { $0 }
        for _ in 0..<1_000 { all = chain(all, to: next) }
        #expect(all(5) == 1_005)
    }

    @Test func laws() {
        var generator = SeededGenerator(seed: 2)
        let identity: @Sendable (UInt64) -> UInt64 = { $0 }
        for _ in 0..<1_000 {
            let f = randomFunction(using: &generator)
            let g = randomFunction(using: &generator)
            let h = randomFunction(using: &generator)
            let value = generator.next()
            #expect(chain(f, to: g)(value) == g(f(value)))
            #expect(chain(identity, to: f)(value) == f(value))
            #expect(chain(f, to: identity)(value) == f(value))
            #expect(chain(chain(f, to: g), to: h)(value) == chain(f, to: chain(g, to: h))(value))
        }
    }
}

@Sendable private func next(_ number: Int) -> Int { number + 1 }

extension ChainTests {
    @Test func severalInOneCall() {
        let add: @Sendable (Int) -> Int = { $0 + 1 }
        let text: @Sendable (Int) -> String = { "\($0)" }
        #expect(chain(add, to: add, to: text)(1) == "3")
    }
}

/// Counts its calls, from any thread.
final class Counter: Sendable {
    private let calls = Atomic(0)

    var count: Int { calls.load(ordering: .relaxed) }

    @discardableResult
    func increment() -> Int {
        calls.add(1, ordering: .relaxed).newValue
    }
}
