import PledgeFutures
import PledgeServices
import TestSupport

/// A service whose calls end in random ways, or never.
final class RandomUpstream: Sendable {
    /// One call as it arrived.
    struct Arrival: Sendable {
        /// The number in the input.
        let number: Int
        let promise: Upstream.WeakPromise
    }

    /// The caller's number, a task-local value.
    enum Caller {
        @TaskLocal static var number: Int?
    }

    private struct State {
        /// What arrived wrongly.
        var faults: [String] = []
        /// The calls that were cancelled, with their times.
        var cancelled: [(number: Int, at: Duration)] = []
        /// How many calls ended as failures of the service.
        var failures = 0
        var dice: SeededGenerator
        var arrivals: [Arrival] = []
        var inFlight = 0
        var peak = 0
        /// The promises of calls that never settle.
        var held: [Promise<Int>] = []
    }

    private let scheduler: ManualScheduler
    private let state: Locked<State>
    /// Called during some calls, before the service returns.
    private let interrupt: @Sendable () -> Void

    init(
        on scheduler: ManualScheduler, seed: UInt64, interrupt: @escaping @Sendable () -> Void
    ) {
        self.scheduler = scheduler
        self.interrupt = interrupt
        state = Locked(State(dice: SeededGenerator(seed: seed)))
    }

    var faults: [String] { state.withLock { $0.faults } }
    var failures: Int { state.withLock { $0.failures } }

    /// Whether a call of a number was cancelled at an instant.
    func wasCancelled(_ index: Int, at instant: Duration) -> Bool {
        state.withLock { $0.cancelled.contains { $0.number / 3 == index && $0.at == instant } }
    }

    var arrivals: [Arrival] { state.withLock { $0.arrivals } }
    var inFlight: Int { state.withLock { $0.inFlight } }
    /// The maximum number of calls in flight at a time.
    var peak: Int { state.withLock { $0.peak } }
    /// How many of the returned promises are still alive.
    var living: Int { arrivals.count { $0.promise.promise != nil } }

    @Sendable func send(_ ask: Ask) -> Future<Int> {
        let promise = Promise<Int>()
        note(ask)
        let (kind, delay, value) = state.withLock { state in
            state.inFlight += 1
            state.peak = max(state.peak, state.inFlight)
            state.arrivals.append(
                Arrival(number: ask.number, promise: Upstream.WeakPromise(promise: promise)))
            return (
                Int.random(in: 0..<100, using: &state.dice),
                Duration.milliseconds(Int.random(in: 0...40, using: &state.dice)),
                RandomLayer.key(ask) * 1_000 + state.arrivals.count
            )
        }
        let asked = Advised(advisedOutcome: .retryable(after: delay * 2))
        switch kind {
        case 0..<35: end(promise, .success(value), after: delay, of: ask.number)
        case 35..<45: finish(promise, .success(value))
        case 45..<57: end(promise, .failure(Broken()), after: delay, of: ask.number)
        case 57..<62: finish(promise, .failure(Broken()))
        case 62..<72: end(promise, .failure(asked), after: delay / 2, of: ask.number)
        case 72..<77:
            end(promise, .failure(Advised(advisedOutcome: .failure)), after: delay, of: ask.number)
        case 77..<80: end(promise, .failure(FutureError(.abandoned)), after: delay, of: ask.number)
        case 80..<88: end(promise, .success(value), after: delay * 40, of: ask.number)
        case 88..<92:
            interrupt()
            end(promise, .success(value), after: delay, of: ask.number)
        default: hold(promise, of: ask.number)
        }
        return promise
    }

    private func note(_ ask: Ask) {
        let (remaining, caller) = (CallContext.current.remaining, Caller.number)
        state.withLock { state in
            if let remaining, remaining <= .zero {
                state.faults.append("call \(ask.number / 3) was sent after its deadline")
            }
            if caller != ask.number / 3 {
                state.faults.append("call \(ask.number / 3) was sent as \(caller ?? -1)")
            }
        }
    }

    /// Ends a call after a delay.
    private func end(
        _ promise: Promise<Int>, _ result: Result<Int, any Error>, after delay: Duration,
        of number: Int
    ) {
        let timer = scheduler.schedule(after: delay) { self.finish(promise, result) }
        promise.onCancel {
            timer.cancel()
            self.noteCancellation(of: number)
        }
    }

    private func finish(_ promise: Promise<Int>, _ result: Result<Int, any Error>) {
        let isFailure = Classifier<Int>.standard(result).health == .unhealthy
        state.withLock { state in
            state.inFlight -= 1
            if isFailure { state.failures += 1 }
        }
        switch result {
        case .success(let value): promise.resolve(with: value)
        case .failure(let error): promise.reject(with: error)
        }
    }

    private func hold(_ promise: Promise<Int>, of number: Int) {
        state.withLock { $0.held.append(promise) }
        promise.onCancel { [weak promise] in
            self.noteCancellation(of: number)
            self.state.withLock { $0.held.removeAll { $0 === promise } }
        }
    }

    private func noteCancellation(of number: Int) {
        let now = scheduler.now.offset
        state.withLock { state in
            state.inFlight -= 1
            state.cancelled.append((number, now))
        }
    }
}
