import PledgeFutures
import Testing

/// Particular ways in which an object could be kept.
@Suite struct RetentionTests {
    private let census = Census()
    private let scheduler = ManualScheduler()

    /// A client that keeps the future of its own work, as controllers do.
    private final class Client: Sendable {
        private let work = Locked<(any Sendable)?>(nil)
        let token: Tracked

        init(_ census: Census) { token = Tracked(census) }

        func keep(_ work: any Sendable) { self.work.withLock { $0 = work } }
    }

    /// A settled future has released the closure, so no cycle through it is left.
    @Test func aFutureKeptByWhatItsClosureCapturesIsNoCycleOnceSettled() {
        do {
            let client = Client(census)
            client.keep(Future(value: 1).map { _ in client.token.use() })
        }
        #expect(census.living == 0)
        do {
            let client = Client(census)
            client.keep(Future<Int>(error: TestError()).recover { _ in client.token.number })
        }
        #expect(census.living == 0)
    }

    @Test func aTraversalKeptByWhatItsClosureCapturesIsNoCycleOnceSettled() {
        do {
            let client = Client(census)
            client.keep(
                Future.traverse(0..<3) { item in
                    client.token.use()
                    return Future(value: item)
                }
            )
        }
        #expect(census.living == 0)
    }

    @Test func aTraversalKeptByWhatItsClosureCapturesIsNoCycleOnceFailed() {
        do {
            let client = Client(census)
            client.keep(
                Future.traverse(0..<3) { _ -> Future<Int> in
                    client.token.use()
                    return Future(error: TestError())
                }
            )
        }
        #expect(census.living == 0)
    }

    @Test func aTraversalKeptByWhatItsClosureCapturesIsNoCycleOnceCancelled() {
        let promise = Promise<Int>()
        do {
            let client = Client(census)
            let traversal = Future.traverse(0..<3) { _ -> Future<Int> in
                client.token.use()
                return promise
            }
            client.keep(traversal)
            traversal.cancel()
        }
        #expect(census.living == 0)
    }

    /// A delayed value that is not wanted any more is released.
    @Test func aDelayedValueGoesWithTheCancellation() {
        let delayed: Future<Tracked>
        do {
            let promise = Promise<Tracked>()
            delayed = promise.delay(.seconds(1), on: scheduler)
            promise.resolve(with: Tracked(census))
        }
        #expect(census.living == 1)
        delayed.cancel()
        #expect(delayed.isCancelled)
        #expect(census.living == 0)
        #expect(scheduler.isIdle)
    }

    /// A race does not keep the value of a loser.
    @Test func aLoserKeepsNothing() {
        let (winner, loser) = (Promise<Tracked>(), Promise<Tracked>())
        let race = Future.race([
            winner,
            loser.map { [token = Tracked(census)] in
                token.use()
                return $0
            },
        ])
        #expect(census.living == 1)
        winner.resolve(with: Tracked(census, 5))
        #expect(census.living == 1)
        #expect((try? race.result?.get())?.number == 5)
        #expect(loser.result == nil)
    }

    @Test func aFiredTimeoutKeepsNothing() {
        let promise = Promise<Tracked>()
        let references = WeakReferences()
        do {
            let timed = references.add(
                promise.map { [token = Tracked(census)] value in
                    token.use()
                    return value
                }.timeout(.seconds(1), on: scheduler)
            )
            scheduler.advance(by: .seconds(1))
            #expect(timed.codeNow == .timedOut)
            #expect(census.living == 0)
        }
        #expect(references.living == 0)
        #expect(promise.result == nil)
    }

    @Test func aLateDropOfAResultKeepsNothing() {
        let promise = Promise<Tracked>()
        promise.resolve(with: Tracked(census, 1))
        promise.resolve(with: Tracked(census, 2))
        promise.reject(with: Tracked(census, 3))
        #expect(census.living == 1)
        let cancelled = Promise<Tracked>()
        cancelled.cancel()
        cancelled.resolve(with: Tracked(census, 4))
        #expect(census.living == 1)
    }

    /// A scheduler and its pending actions are released together.
    @Test func aSchedulerThatIsDroppedTakesItsTimersAlong() {
        let references = WeakReferences()
        do {
            let scheduler = references.add(ManualScheduler())
            let delayed = references.add(
                Future(value: Tracked(census)).delay(.seconds(1), on: scheduler)
            )
            #expect(delayed.result == nil)
        }
        #expect(references.living == 0)
        #expect(census.living == 0)
    }

    @Test func aSettledTimerKeepsNoScheduler() {
        let references = WeakReferences()
        let futures: [Future<Int>]
        do {
            let scheduler = references.add(ManualScheduler())
            let (promise, pending) = (Promise<Int>(), Promise<Int>())
            futures = [
                promise.timeout(.seconds(1), on: scheduler),
                promise.delay(.seconds(1), on: scheduler),
                pending.timeout(.seconds(1), on: scheduler),
            ]
            promise.resolve(with: 1)
            scheduler.run()
        }
        #expect(futures.allSatisfy { $0.result != nil })
        #expect(references.living == 0)
    }
}
