import Dispatch
package import PledgeFutures
import PledgeServices
import Testing

/// A service that the test controls: the test sees each call, and settles it itself or by a script.
package final class Upstream: Sendable {
    /// One call as it arrived.
    package struct Arrival: Sendable {
        package let ask: Ask
        /// The time on the scheduler.
        package let instant: Duration
        package let attempt: Int
        package let deadline: SchedulerInstant?
        package let remaining: Duration?
        package let promise: WeakPromise
    }

    /// A weak reference.
    package struct WeakPromise: @unchecked Sendable {
        package weak var promise: Promise<Int>?

        package init(promise: Promise<Int>) { self.promise = promise }
    }

    /// What one call does: after a delay it settles, or it never does.
    package enum Step: Sendable {
        case value(Int, after: Duration = .milliseconds(10))
        case error(any Error, after: Duration = .milliseconds(10))
        case atOnce(Result<Int, any Error>)
        case never

        package static let broken = Step.error(Broken())

        /// A failure after which the service asks for a wait.
        package static func asked(_ milliseconds: Int) -> Step {
            .error(Advised(advisedOutcome: .retryable(after: .milliseconds(milliseconds))))
        }
    }

    private struct State {
        var script: [Step]
        var arrivals: [Arrival] = []
        var cancelled = 0
        var settled = 0
        /// The promises of calls that the script does not settle.
        var held: [Promise<Int>] = []
    }

    private let scheduler: ManualScheduler
    private let state: Locked<State>

    /// Makes a service whose calls follow the script, one step each; later calls never settle.
    package init(on scheduler: ManualScheduler, _ script: [Step] = []) {
        self.scheduler = scheduler
        state = Locked(State(script: script))
    }

    package var arrivals: [Arrival] { state.withLock { $0.arrivals } }
    package var count: Int { state.withLock { $0.arrivals.count } }
    package var cancelled: Int { state.withLock { $0.cancelled } }
    package var settled: Int { state.withLock { $0.settled } }
    package var inFlight: Int { state.withLock { $0.arrivals.count - $0.cancelled - $0.settled } }
    /// The time at which each call arrived.
    package var instants: [Duration] { arrivals.map(\.instant) }
    /// How many of the returned promises are still alive.
    package var living: Int { arrivals.count { $0.promise.promise != nil } }

    @Sendable package func send(_ ask: Ask) -> Future<Int> {
        let promise = Promise<Int>()
        let context = CallContext.current
        let step = state.withLock { state in
            state.arrivals.append(
                Arrival(
                    ask: ask, instant: scheduler.now.offset, attempt: context.attempt,
                    deadline: context.deadline?.instant, remaining: context.remaining,
                    promise: WeakPromise(promise: promise)))
            return state.script.isEmpty ? Step.never : state.script.removeFirst()
        }
        start(step, promise)
        return promise
    }

    /// Continues with another script.
    package func play(_ script: [Step]) { state.withLock { $0.script = script } }

    /// Settles a call, counted from zero, that the script leaves pending.
    package func settle(_ index: Int, _ result: Result<Int, any Error>) {
        guard let promise = arrivals[index].promise.promise else { return }
        finish(promise, result)
    }

    /// Releases the recorded inputs.
    package func forget() { state.withLock { $0.arrivals = [] } }

    private func start(_ step: Step, _ promise: Promise<Int>) {
        switch step {
        case .atOnce(let result): finish(promise, result)
        case .value(let value, let delay): schedule(promise, .success(value), after: delay)
        case .error(let error, let delay): schedule(promise, .failure(error), after: delay)
        case .never:
            state.withLock { $0.held.append(promise) }
            promise.onCancel { [weak promise] in self.cancel(promise) }
        }
    }

    private func schedule(
        _ promise: Promise<Int>, _ result: Result<Int, any Error>, after delay: Duration
    ) {
        let timer = scheduler.schedule(after: delay) { self.finish(promise, result) }
        promise.onCancel { [weak promise] in
            timer.cancel()
            self.cancel(promise)
        }
    }

    private func finish(_ promise: Promise<Int>, _ result: Result<Int, any Error>) {
        state.withLock { state in
            state.settled += 1
            state.held.removeAll { $0 === promise }
        }
        switch result {
        case .success(let value): promise.resolve(with: value)
        case .failure(let error): promise.reject(with: error)
        }
    }

    private func cancel(_ promise: Promise<Int>?) {
        state.withLock { state in
            state.cancelled += 1
            state.held.removeAll { $0 === promise }
        }
    }
}

/// A service beneath a limit of calls in flight, for four threads that call, answer, cancel, and move the clock.
///
/// A call has ended just before its answer is given, or when the service is notified that it was given up,
/// whichever comes first; both are counted in one step. (An `always` that another thread has just begun would
/// count too late, since a cancelling thread does not wait for it.)
package struct ContendedService: Sendable {
    private let scheduler: ManualScheduler
    private let failsEach: Int?
    private let calls = Locked((now: Set<Int>(), most: 0))

    /// - Parameter failsEach: Each call whose number is a multiple of this fails; nil for none.
    package init(on scheduler: ManualScheduler, failsEach: Int? = nil) {
        self.scheduler = scheduler
        self.failsEach = failsEach
    }

    /// The largest number of calls that were made at the same time.
    package var mostAtOnce: Int { calls.withLock { $0.most } }

    /// Whether every call has ended.
    package var isIdle: Bool { calls.withLock { $0.now }.isEmpty }

    /// Answers each third call at once, and the others after a millisecond.
    @Sendable package func send(_ ask: Ask) -> Future<Int> {
        calls.withLock { calls in
            let (isNew, _) = calls.now.insert(ask.number)
            #expect(isNew)
            calls.most = max(calls.most, calls.now.count)
        }
        let end: @Sendable () -> Void = { _ = calls.withLock { $0.now.remove(ask.number) } }
        let promise = Promise<Int>()
        promise.onCancel(end)
        let answer: @Sendable () -> Void = {
            end()
            if let failsEach, ask.number.isMultiple(of: failsEach) {
                promise.reject(with: Broken())
            } else {
                promise.resolve(with: ask.number)
            }
        }
        if ask.number.isMultiple(of: 3) {
            answer()
        } else {
            scheduler.schedule(after: .milliseconds(1), answer)
        }
        return promise
    }

    /// Makes 8,000 calls from four threads, of which some are cancelled, and lets all end.
    ///
    /// - Parameter call: Makes a call; the number is that within its thread.
    /// - Returns: How many have settled.
    package func contend(_ call: @Sendable (_ ask: Ask, _ number: Int) -> Future<Int>) -> Int {
        let settled = Locked(0)
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<2_000 {
                let future = call(Ask(number * 4 + thread), number)
                future.observe { _ in settled.withLock { $0 += 1 } }
                if number % 3 == thread { scheduler.advance(by: .milliseconds(1)) }
                if number % 5 == thread { future.cancel() }
            }
        }
        scheduler.run()
        return settled.withLock { $0 }
    }
}
