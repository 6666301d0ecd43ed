import PledgeFutures
package import Testing

/// Runs a test after all others with this trait that came before it.
///
/// Swift Testing runs tests on as many threads as there are processors. A test with sockets, processes or threads would
/// wait in the middle, behind the other tests that have begun, and a test that computes for long would make them wait. With this trait they wait before they begin. CONTRIBUTING.md says what was measured.
///
/// A test waits for its turn before it counts among those that run at once, and its cases then wait for each other.
package struct OneAtATime: SuiteTrait, TestTrait, TestScoping {
    /// A place that one at a time may take.
    private struct Place: Sendable {
        private struct State {
            var isTaken = false
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Locked(State())

        func enter() async {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    if state.isTaken { state.waiting.append(continuation) }
                    defer { state.isTaken = true }
                    return !state.isTaken
                }
                if isFree { continuation.resume() }
            }
        }

        func leave() {
            let next: CheckedContinuation<Void, Never>? = state.withLock { state in
                state.isTaken = !state.waiting.isEmpty
                return state.isTaken ? state.waiting.removeFirst() : nil
            }
            next?.resume()
        }
    }

    private static let tests = Place()
    private static let cases = Place()

    /// Whether the test, or the case, has its turn already: a test and its suite may both have the trait.
    @TaskLocal private static var hasTurn = (test: false, testCase: false)

    package var isRecursive: Bool { true }

    package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite ? nil : self
    }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        let isCase = testCase != nil
        let turn = Self.hasTurn
        guard isCase ? !turn.testCase : !turn.test else { return try await function() }
        let place = isCase ? Self.cases : Self.tests
        await place.enter()
        defer { place.leave() }
        try await Self.$hasTurn.withValue((test: true, testCase: isCase)) { try await function() }
    }
}

extension Trait where Self == OneAtATime {
    /// For a test with sockets, processes or threads, and for one that computes for more than 100 ms.
    package static var oneAtATime: Self { Self() }
}
