import PledgeFutures
package import Testing

/// Runs a test after all others with this trait that came before it.
///
/// Swift Testing begins all tests at once, on as many threads as there are processors. A test with sockets,
/// processes or threads would then wait in the middle, behind thousands of others, and a test that computes for
/// long would make them wait. With this trait they wait before they begin. CONTRIBUTING.md says what was measured.
package struct OneAtATime: SuiteTrait, TestTrait, TestScoping {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let state = Locked(State())

    /// Whether the test has its turn already: it and its suite may both have the trait.
    @TaskLocal private static var hasTurn = false

    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard !Self.hasTurn else { return try await function() }
        await Self.enter()
        defer { Self.leave() }
        try await Self.$hasTurn.withValue(true) { try await function() }
    }

    private static func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.isTaken { state.waiting.append(continuation) }
                defer { state.isTaken = true }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
    }

    private static func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            state.isTaken = !state.waiting.isEmpty
            return state.isTaken ? state.waiting.removeFirst() : nil
        }
        next?.resume()
    }
}

extension Trait where Self == OneAtATime {
    /// For a test with sockets, processes or threads, and for one that computes for more than 100 ms.
    package static var oneAtATime: Self { Self() }
}
