import PledgeFutures
import TestSupport
import Testing

/// Transforms that return a future run in the context in which they were registered.
@Suite struct CallerContextTests {
    private final class Name: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private static var here: String { (CallerContext.bound as? Name)?.text ?? "none" }

    private func within<Output>(_ name: String?, _ body: () throws -> Output) rethrows -> Output {
        try CallerContext.bind(name.map(Name.init), body)
    }

    private typealias Shape = @Sendable (Future<Int>, TestLog<String>) -> Void

    private static let shapes: [(name: String, register: Shape)] = [
        (
            "flatMap",
            { future, seen in
                _ = future.flatMap { value in
                    seen.append(here)
                    return Future(value: value)
                }
            }
        ),
        (
            "flatMapError",
            { future, seen in
                _ = future.flatMap { _ in Future<Int>(error: TestError()) }.flatMapError { _ in
                    seen.append(here)
                    return Future(value: 1)
                }
            }
        ),
        (
            "flatMapResult",
            { future, seen in
                _ = future.flatMapResult { _ in
                    seen.append(here)
                    return Future(value: 1)
                }
            }
        ),
        (
            "traverse",
            { future, seen in
                _ = Future.traverse([1, 2], maxConcurrent: 1) { number in
                    if number == 2 { seen.append(here) }
                    return future.map { $0 }
                }
            }
        ),
    ]

    @Test(arguments: shapes.indices)
    func aTransformRunsInTheContextOfTheLineThatRegistersIt(index: Int) {
        for (registering, settling) in [("a", "b"), ("a", nil), (nil, "b"), (nil, nil)] {
            let (promise, seen) = (Promise<Int>(), TestLog<String>())
            within(registering) { Self.shapes[index].register(promise, seen) }
            within(settling) { _ = promise.resolve(with: 1) }
            #expect(seen.elements == [registering ?? "none"], "\(Self.shapes[index].name)")
        }
    }

    @Test func aTransformThatIsPutOffIntoAnotherCallsFrameKeepsItsOwnContext() {
        let seen = TestLog<String>()
        @Sendable func nest(_ left: Int) {
            let promise = Promise<Int>()
            within("depth \(left)") {
                promise.observe { _ in if left > 0 { nest(left - 1) } }
                _ = promise.flatMap { _ in
                    seen.append(Self.here == "depth \(left)" ? "right" : "wrong")
                    return Future(value: 1)
                }
            }
            within("other") { _ = promise.resolve(with: 1) }
        }
        nest(100)
        #expect(seen.elements == Array(repeating: "right", count: 101))
    }

    @Test func callbacksOfAFutureRunInTheTaskLocalContextOfTheCodeThatSettlesIt() {
        let (promise, seen) = (Promise<Int>(), TestLog<String>())
        within("registered") {
            promise.observe { _ in seen.append(Self.here) }
            _ = promise.map { _ in seen.append(Self.here) }
        }
        within("settled") { _ = promise.resolve(with: 1) }
        #expect(seen.elements == ["settled", "settled"])
    }

    @TaskLocal private static var user = "nobody"

    /// The bound value and the user, in a closure that runs in a context.
    private func seen(in caller: CallerContext) -> String {
        Self.$user.withValue("other") {
            within("other") { caller.run { "\(Self.here), \(Self.user)" } }
        }
    }

    @Test("Only a context that keeps its task brings the caller's other task-local values along")
    func onlyAContextThatKeepsItsTaskKeepsItsTaskLocalValues() async {
        let (bound, kept) = Self.$user.withValue("anna") {
            within("a") {
                (CallerContext(), CallerContext(keepingTaskWith: CallerContext.bound))
            }
        }
        #expect(seen(in: bound) == "a, other")
        #expect(seen(in: kept) == "a, anna")
        #expect(seen(in: kept) == "a, anna", "it can run more than once")
        #expect((kept.value as? Name)?.text == "a" && (bound.value as? Name)?.text == "a")
    }

    @Test("An error that the closure throws is thrown on, at both depths")
    func anErrorOfTheClosureIsThrownOnAtBothDepths() async {
        for caller in [CallerContext(), CallerContext(keepingTaskWith: Name("a"))] {
            #expect(throws: TestError.self) { try caller.run { throw TestError() } }
        }
    }
}
