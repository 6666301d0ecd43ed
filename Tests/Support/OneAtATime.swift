import PledgeFutures
package import Testing

/// Runs a test after all others with this trait that came before it in the same lane.
///
/// Swift Testing runs tests on as many threads as there are processors. A test with sockets, processes or threads would
/// wait in the middle, behind the other tests that have begun, and a test that computes for long would make them wait. With this trait they wait before they begin. CONTRIBUTING.md says what was measured.
///
/// There are two lanes: the tests of HTTP mostly wait for sockets, and all others mostly compute.
///
/// A test waits for its turn before it counts among those that run at once, and its cases then wait for each other.
package struct OneAtATime: SuiteTrait, TestTrait, TestScoping {
    fileprivate enum Company {
        /// No other test of the lane runs.
        case none
        /// The other tests of the suite and their cases may run.
        case suite
        /// No other test with this trait runs, in whatever lane.
        case noneInAnyLane
    }

    /// A place for one test, or for the tests of one suite.
    private struct Place: Sendable {
        private struct State {
            /// The suite that has the place; nil for a test without company.
            var suite: String?
            var count = 0
            var waiting: [(suite: String?, continuation: CheckedContinuation<Void, Never>)] = []

            mutating func admits(_ suite: String?) -> Bool {
                guard count == 0 || (suite != nil && suite == self.suite) else { return false }
                (self.suite, count) = (suite, count + 1)
                return true
            }
        }

        private let state = Locked(State())

        func enter(_ suite: String?) async {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    let isFree = state.admits(suite)
                    if !isFree { state.waiting.append((suite, continuation)) }
                    return isFree
                }
                if isFree { continuation.resume() }
            }
        }

        func leave() {
            let next = state.withLock { state in
                state.count -= 1
                let waiting = state.waiting
                state.waiting = []
                return waiting.filter { waiter in
                    let isNext = state.admits(waiter.suite)
                    if !isNext { state.waiting.append(waiter) }
                    return isNext
                }
            }
            for waiter in next { waiter.continuation.resume() }
        }
    }

    private struct Lane: Sendable {
        let tests = Place()
        let cases = Place()
    }

    private static let lanes = (waiting: Lane(), computing: Lane())

    /// Whether the test, or the case, has its turn already: a test and its suite may both have the trait.
    @TaskLocal private static var hasTurn = (test: false, testCase: false)

    fileprivate let company: Company

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
        let suite = company == .suite ? test.sourceLocation.fileID : nil
        let places = lanes(of: test).map { isCase ? $0.cases : $0.tests }
        for place in places { await place.enter(suite) }
        defer { for place in places { place.leave() } }
        try await Self.$hasTurn.withValue((test: true, testCase: isCase)) { try await function() }
    }

    private func lanes(of test: Test) -> [Lane] {
        let module = test.sourceLocation.moduleName
        let isOverHTTP = module.hasPrefix("HTTP") || module.contains("Transport")
        switch company {
        case .noneInAnyLane: return [Self.lanes.waiting, Self.lanes.computing]
        case .none, .suite: return [isOverHTTP ? Self.lanes.waiting : Self.lanes.computing]
        }
    }
}

extension Trait where Self == OneAtATime {
    /// For a test with sockets, processes or threads, and for one that computes for more than 100 ms.
    package static var oneAtATime: Self { Self(company: .none) }

    /// For a suite whose tests wait for limits in real time, and compute little: they run beside each other.
    package static var oneSuiteAtATime: Self { Self(company: .suite) }

    /// For a test that measures the memory of the process.
    package static var alone: Self { Self(company: .noneInAnyLane) }
}
