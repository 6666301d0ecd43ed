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

    @Test func aMethodNamedThroughItsTypeIsCalled() {
        // Without a context that selects the overload, the curried one is used.
        let open = chain(Letter.init, to: Letter.open)
        #expect(open("hello") == "hello")
    }

    @Test func aContextOfFunctionsGetsThePlainOverload() {
        let open: (String) -> @Sendable () -> String = chain(Letter.init, to: Letter.open)
        #expect(open("hello")() == "hello")
    }

    @Test func aMethodThatReturnsNothingIsCalled() {
        let calls = Counter()
        let count = chain({ (_: Int) in calls }, to: Counter.bump)
        count(1)
        count(2)
        #expect(calls.count == 2)
    }

    @Test func aGenericMethodIsInferredFromTheContext() {
        let load = chain(Endpoint.page, to: Session.shared.request)
        let number: @Sendable (Int) -> Box<Int> = chain(load, to: Box.decoded)
        let text: (Int) -> Box<String> = chain(load, to: Box.decoded)
        #expect(number(4).value == 0)
        #expect(text(4).value == "")
    }

    @Test func aGenericMethodIsInferredWhereTheResultIsCalledAtOnce() {
        func load(_ number: Int) -> Box<Double> {
            let request = chain(Endpoint.page, to: Session.shared.request)
            return chain(request, to: Box.decoded)(number)
        }
        #expect(load(1).value == 0)
    }

    @Test func aGenericMethodIsInferredInOneExpression() {
        let load: () -> Box<Bool> = combine(
            3,
            with: chain(chain(Endpoint.page, to: Session.shared.request), to: Box.decoded)
        )
        #expect(load().value == false)
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

    @Test func methodsInOneExpression() {
        let all = chain(
            chain(chain(chain(Page.init, to: Page.next), to: Page.next), to: Page.next),
            to: Page.next
        )
        #expect(all(0).number == 4)
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

extension Counter {
    fileprivate func bump() { increment() }
}

/// The article's class, with some content.
private final class Letter: Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    func open() -> String { text }
}

private struct Endpoint: Sendable {
    var number: Int

    static func page(number: Int) -> Endpoint { Endpoint(number: number) }
}

private struct Page: Sendable {
    var number: Int

    func next() -> Page { Page(number: number + 1) }
}

/// Stands for `URLSession`: a class whose method is referred to as a function.
private final class Session: Sendable {
    static let shared = Session()

    func request(_ endpoint: Endpoint) -> Box<[UInt8]> { Box([UInt8(endpoint.number)]) }
}

/// Stands for `Future`: a generic class with a generic method that takes its type from the context.
private final class Box<Value: Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Box where Value == [UInt8] {
    func decoded<Output: Blank & Sendable>() -> Box<Output> { Box<Output>(Output.blank) }
}

private protocol Blank {
    static var blank: Self { get }
}

extension Int: Blank { fileprivate static var blank: Int { 0 } }
extension String: Blank { fileprivate static var blank: String { "" } }
extension Double: Blank { fileprivate static var blank: Double { 0 } }
extension Bool: Blank {
    fileprivate static var blank: Bool { false }
    @Test func severalInOneCall() {
        let add: @Sendable (Int) -> Int = { $0 + 1 }
        let text: @Sendable (Int) -> String = { "\($0)" }
        #expect(chain(add, to: add, to: text)(1) == "3")
        #expect(chain(add, to: add, to: add, to: text)(1) == "4")
        #expect(chain(add, to: add, to: add, to: add, to: text)(1) == "5")
        let shout: @Sendable (Int) -> String = chain(add, to: text, to: String.uppercased)
        #expect(shout(9) == "10")
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
