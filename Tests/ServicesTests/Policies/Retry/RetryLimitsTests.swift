import PledgeFutures
import PledgeServices
import TestSupport
import Testing

/// The lower and upper limits of a retry's parameters.
@Suite(.oneAtATime) struct RetryLimitsTests {
    let scheduler = ManualScheduler()

    @Test(arguments: [false, true])
    func manyAttemptsNeedNeitherStackNorMemory(isImmediate: Bool) {
        let count = Locked(0)
        let scheduler = scheduler
        let service = stack(
            .retry(
                attempts: 20_000, backoff: .constant(isImmediate ? .zero : .milliseconds(1)),
                sharing: .unlimited, on: scheduler),
            over: { (ask: Ask) in
                count.withLock { $0 += 1 }
                return Future<Int>(error: Broken())
            })
        let call = service(1)
        scheduler.run()
        #expect(call.errorNow is Broken)
        #expect(count.withLock { $0 } == 20_000)
    }

    @Test func manyPendingAttemptsNeedNeitherStackNorMemory() {
        let scheduler = scheduler
        let recent = Locked<[Weak]>([])
        let mostLiving = Locked(0)
        let service = stack(
            .retry(attempts: 20_000, backoff: .constant(.zero), on: scheduler),
            over: { (ask: Ask) in
                let future = Future<Int>.make { resolver in
                    scheduler.schedule(after: .zero) { resolver.reject(with: Broken()) }
                }
                let living = recent.withLock { recent in
                    recent.append(Weak(future: future))
                    if recent.count > 100 { recent.removeFirst() }
                    return recent.count { $0.future != nil }
                }
                mostLiving.withLock { $0 = max($0, living) }
                return future
            })
        let call = service(1)
        scheduler.run()
        #expect(call.errorNow is Broken)
        #expect(mostLiving.withLock { $0 } <= 3)
    }

    /// A weak reference.
    struct Weak: @unchecked Sendable {
        weak var future: Future<Int>?
    }

    #if os(macOS) || os(Linux)
    @Test func noAttemptTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.retry(attempts: 0) }
        expectTrap("retry needs at least 1 attempt, not 0", in: result)
    }

    @Test func aNegativeServerDelayTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.retry(maxServerDelay: .seconds(-1)) }
        expectTrap("retry needs a maxServerDelay of zero or more", in: result)
    }
    #endif
}
