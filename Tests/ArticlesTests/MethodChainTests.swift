import PledgeArticles
import Synchronization
import Testing

@Suite struct MethodChainTests {
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

    @Test func methodsInOneExpression() {
        let all = chain(
            chain(chain(chain(Page.init, to: Page.next), to: Page.next), to: Page.next),
            to: Page.next
        )
        #expect(all(0).number == 4)
    }
}

/// Counts its calls, from any thread.
private final class Counter: Sendable {
    private let calls = Atomic(0)

    var count: Int { calls.load(ordering: .relaxed) }

    func bump() { calls.add(1, ordering: .relaxed) }
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
}
