import Dispatch
import PledgeFutures
import Testing

/// A service beneath a limit of calls in flight, for four threads that call, answer, cancel, and move the clock.
///
/// A call has ended just before its answer is given, or when the service is notified that it was given up,
/// whichever comes first; both are counted in one step. (An `always` that another thread has just begun would
/// count too late, since a cancelling thread does not wait for it.)
struct ContendedService: Sendable {
    private let scheduler: ManualScheduler
    private let failsEach: Int?
    private let calls = Locked((now: Set<Int>(), most: 0))

    /// - Parameter failsEach: Each call whose number is a multiple of this fails; nil for none.
    init(on scheduler: ManualScheduler, failsEach: Int? = nil) {
        self.scheduler = scheduler
        self.failsEach = failsEach
    }

    /// The largest number of calls that were made at the same time.
    var mostAtOnce: Int { calls.withLock { $0.most } }

    /// Whether every call has ended.
    var isIdle: Bool { calls.withLock { $0.now }.isEmpty }

    /// Answers each third call at once, and the others after a millisecond.
    @Sendable func send(_ ask: Ask) -> Future<Int> {
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
    func contend(_ call: @Sendable (_ ask: Ask, _ number: Int) -> Future<Int>) -> Int {
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
