import PledgeAdmission
import PledgeFutures
import PledgeServices
import PledgeTraffic
import ServicesTestSupport
import TestSupport
import Testing

private enum User {
    @TaskLocal static var name = "nobody"
}

/// A call that begins later has the task-local values of its own caller, and not those of the code that lets it begin.
@Suite struct TaskLocalValuesTests {
    /// A service whose calls end when they are told, and which notes whose they are.
    private final class Desk: Sendable {
        private let state = Locked((seen: [String](), open: [Promise<Int>]()))

        var seen: [String] { state.withLock { $0.seen } }

        @Sendable func send(_ ask: Ask) -> Future<Int> {
            let promise = Promise<Int>()
            let user = Task.isCancelled ? "cancelled" : User.name
            state.withLock { state in
                state.seen.append(user)
                state.open.append(promise)
            }
            return promise
        }

        /// Ends the oldest call, as somebody else.
        func end(_ result: Result<Int, any Error>) {
            let promise = state.withLock { $0.open.removeFirst() }
            User.$name.withValue("cem") { promise.settle(with: result) }
        }
    }

    private let scheduler = ManualScheduler()
    private let desk = Desk()

    private func load(
        _ policy: Middleware<Ask, Int>, as user: String, _ number: Int = 1
    ) -> Future<Int> {
        User.$name.withValue(user) { stack(policy, over: desk.send)(Ask(number)) }
    }

    private func advance(by duration: Duration) {
        User.$name.withValue("dan") { scheduler.advance(by: duration) }
    }

    private func queues() -> [(String, Middleware<Ask, Int>)] {
        [
            (
                "bulkhead",
                .bulkhead(sharing: Bulkhead(limit: 1, queue: 9, leaseTime: nil, on: scheduler))
            ),
            ("loadShedding", .loadShedding(sharing: LoadShedder(limit: 1, on: scheduler))),
            (
                "adaptiveConcurrency",
                .adaptiveConcurrency(
                    sharing: AdaptiveConcurrency(
                        algorithm: .vegas(initial: 1), queue: 9, on: scheduler))
            ),
        ]
    }

    @Test func aCallThatWaitedForAPlaceHasItsCallersTaskLocalValues() {
        for (name, policy) in queues() {
            let desk = Desk()
            let load = stack(policy, over: desk.send)
            let calls = ["ada", "ben", "eva"].map { user in
                User.$name.withValue(user) { load(1) }
            }
            for number in 1...3 { desk.end(.success(number)) }
            #expect(desk.seen == ["ada", "ben", "eva"], "\(name)")
            #expect(calls.map(\.valueNow) == [1, 2, 3])
        }
    }

    @Test func aCallThatWaitedForItsTurnHasItsCallersTaskLocalValues() {
        let policy = Middleware<Ask, Int>.rateLimit(
            sharing: RateLimiter(rate: 10, per: .seconds(1), on: scheduler))
        let calls = ["ada", "ben", "eva"].map { load(policy, as: $0) }
        advance(by: .seconds(1))
        for number in 1...3 { desk.end(.success(number)) }
        #expect(desk.seen == ["ada", "ben", "eva"])
        #expect(calls.map(\.valueNow) == [1, 2, 3])
    }

    @Test func aCallThatWaitedForAStoreHasItsCallersTaskLocalValues() {
        let policies: [Middleware<Ask, Int>] = [
            .rateLimit(
                sharing: RateLimiter(
                    rate: 10, per: .seconds(1), shared: .slow(on: scheduler), on: scheduler)),
            .memoize(
                by: { _ in "1" },
                sharing: .ofNumbers(timeToLive: .seconds(1), shared: .slow(on: scheduler))
            ),
        ]
        for policy in policies {
            let desk = Desk()
            let load = stack(policy, over: desk.send)
            let calls = ["ada", "ben", "eva"].map { user in
                User.$name.withValue(user) { load(1) }
            }
            advance(by: .seconds(1))
            for number in 1...3 { desk.end(.success(number)) }
            #expect(desk.seen == ["ada", "ben", "eva"])
            #expect(calls.map(\.valueNow) == [1, 2, 3])
        }
    }

    @Test func theTaskThatFreesAPlaceLendsNoTaskLocalValue() async {
        for (name, policy) in queues() {
            let desk = Desk()
            let load = stack(policy, over: desk.send)
            let calls = ["ada", "ben"].map { user in User.$name.withValue(user) { load(1) } }
            let ending = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                desk.end(.success(1))
            }
            await ending.value
            desk.end(.success(2))
            #expect(desk.seen == ["ada", "ben"], "\(name)")
            #expect(calls[1].valueNow == 2)
        }
    }

    @Test func aCallerWithoutATaskGetsNobodysTaskLocalValues() {
        let desk = Desk()
        let load = stack(
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 9, leaseTime: nil, on: scheduler)),
            over: desk.send)
        let calls = Locked([Future<Int>]())
        onThreads(1) { _ in
            let both = [load(1), load(2)]
            calls.withLock { $0 = both }
        }
        desk.end(.success(1))
        #expect(desk.seen == ["nobody", "nobody"])
        #expect(calls.withLock { $0[0].valueNow } == 1)
    }

    @Test(arguments: [Duration.zero, .milliseconds(5)])
    func laterAttemptsOfARetryHaveTheCallersTaskLocalValues(delay: Duration) {
        let call = load(
            .retry(Retry(attempts: 3, backoff: .constant(delay)), on: scheduler), as: "ada")
        desk.end(.failure(Broken()))
        advance(by: delay)
        desk.end(.failure(Broken()))
        advance(by: delay)
        desk.end(.success(3))
        #expect(call.valueNow == 3)
        #expect(desk.seen == ["ada", "ada", "ada"])
    }

    @Test func hedgesHaveTheCallersTaskLocalValues() {
        let call = load(
            .hedge(
                sharing: Hedge(after: .milliseconds(5), attempts: 4, maxExtraLoad: 1, on: scheduler)
            ), as: "ada")
        advance(by: .milliseconds(10))
        desk.end(.failure(Broken()))
        desk.end(.success(2))
        #expect(call.valueNow == 2)
        #expect(desk.seen == ["ada", "ada", "ada", "ada"])
    }

    @Test func aFallbackHasTheCallersTaskLocalValues() {
        let other = Desk()
        let call = load(.fallback(to: other.send), as: "ada")
        desk.end(.failure(Broken()))
        other.end(.success(2))
        #expect(call.valueNow == 2)
        #expect(other.seen == ["ada"])
    }

    /// Beneath one another, as in a stack.
    @Test func waitsAndRetriesTogetherKeepTheCallersTaskLocalValues() {
        let bulkhead = Bulkhead(limit: 1, queue: 9, leaseTime: nil, on: scheduler)
        let policy = Middleware<Ask, Int>.retry(
            Retry(backoff: .constant(.milliseconds(5))), on: scheduler
        ).around(.bulkhead(sharing: bulkhead))
        let calls = ["ada", "ben"].map { load(policy, as: $0) }
        desk.end(.failure(Broken()))
        advance(by: .milliseconds(5))
        desk.end(.failure(Broken()))
        desk.end(.success(1))
        advance(by: .milliseconds(5))
        desk.end(.success(2))
        #expect(desk.seen == ["ada", "ben", "ada", "ben"])
        #expect(calls.map(\.valueNow) == [1, 2])
    }

    /// A call that gives up its wait leaves nothing behind, and the others' turns come.
    @Test func aWaitingCallThatIsCancelledLeavesNoTaskBehind() {
        let desk = Desk()
        let load = stack(
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 99, leaseTime: nil, on: scheduler)),
            over: desk.send)
        weak var luggage: Luggage?
        do {
            let held = Luggage()
            luggage = held
            let first = load(1)
            let calls = (0..<50).map { number in
                User.$name.withValue("ada") { load(Ask(number, luggage: held)) }
            }
            for call in calls { call.cancel() }
            desk.end(.success(1))
            #expect(first.valueNow == 1)
        }
        #expect(luggage == nil)
        #expect(desk.seen.count == 1)
    }
}
