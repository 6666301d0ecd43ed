import PledgeFutures
import TestSupport
import Testing

/// Nothing is kept longer than needed: futures, values, and the captures of closures.
@Suite(.oneAtATime) struct LeakTests {
    /// A combinator, as a function that derives a future; its closure captures the token.
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let derive: @Sendable (Future<Tracked>, Tracked, ManualScheduler) -> Future<Tracked>

        init(
            _ name: String,
            _ derive:
                @escaping @Sendable (Future<Tracked>, Tracked, ManualScheduler) -> Future<Tracked>
        ) {
            testDescription = name
            self.derive = derive
        }
    }

    enum Ending: CaseIterable, Sendable {
        case success, failure, cancelledRoot, cancelledBranch, cancelledBelow, abandonment
    }

    static let shapes = steps + timers + forwarding + aggregates

    private static let steps = [
        Shape("map") { future, token, _ in
            future.map { value in
                token.use()
                return value
            }
        },
        Shape("map that throws") { future, token, _ in future.map { _ in throw token } },
        Shape("flatMap") { future, token, _ in
            future.flatMap { value in
                token.use()
                return Future(value: value)
            }
        },
        Shape("mapError") { future, token, _ in future.mapError { _ in token } },
        Shape("recover") { future, token, _ in future.recover { _ in token } },
        Shape("flatMapError") { future, token, _ in
            future.flatMapError { _ in Future(value: token) }
        },
        Shape("ensure") { future, token, _ in
            future.filter { value in value.number == token.number }
        },
        Shape("always") { future, token, _ in future.always { token.use() } },
        Shape("onSuccess") { future, token, _ in future.onSuccess { _ in token.use() } },
        Shape("onFailure") { future, token, _ in future.onFailure { _ in token.use() } },
        Shape("observe") { future, token, _ in
            future.observe { _ in token.use() }
            return future.map { $0 }
        },
    ]

    private static let timers = [
        Shape("timeout") { future, _, scheduler in future.timeout(.seconds(9), on: scheduler) },
        Shape("delay") { future, _, scheduler in future.delay(.seconds(1), on: scheduler) },
        Shape("a chain with timers") { future, token, scheduler in
            future.delay(.seconds(1), on: scheduler).map { value in
                token.use()
                return value
            }.timeout(.seconds(9), on: scheduler)
        },
    ]

    private static let forwarding = [
        Shape("inside flatMap") { future, token, _ in
            Future(value: token).flatMap { _ in future }
        },
        Shape("flatMap to a pending future") { future, token, _ in
            future.flatMap { value in
                token.use()
                return Promise<Tracked>()
            }
        },
        Shape("nested flatMaps") { future, token, _ in
            future.flatMap { _ in future.flatMap { _ in future.map { _ in token } } }
        },
    ]

    private static let aggregates = [
        Shape("zip") { future, token, _ in zip(future, Future(value: token)).map { $1 } },
        Shape("all") { future, token, _ in
            Future.all([future, future, Future(value: token)]).map { $0[2] }
        },
        Shape("allSettled") { future, token, _ in
            Future.allSettled([future, Future(error: token)]).map { try $0[0].get() }
        },
        Shape("any") { future, token, _ in Future.any([Future(error: token), future]) },
        Shape("race") { future, token, _ in
            Future.race([future.map { $0 }, future.map { _ in token }])
        },
        Shape("traverse") { future, token, _ in
            Future.traverse([token, token, token], maxConcurrent: 2) { token in
                future.map { _ in token }
            }.map { $0[0] }
        },
        Shape("awaiting") { future, token, _ in
            Future {
                token.use()
                return try await future.value
            }
        },
    ]

    /// Derives two futures from a promise, ends it, releases everything, and returns what is still alive.
    private func survivors(of shape: Shape, ending: Ending) async -> [Int] {
        let (census, references) = (Census(), WeakReferences())
        let scheduler = ManualScheduler()
        do {
            let promise = Locked<Promise<Tracked>?>(references.add(Promise()))
            let root = promise.withLock { $0! }
            root.onCancel { [token = Tracked(census)] in token.use() }
            let branch = references.add(shape.derive(root, Tracked(census), scheduler))
            let below = references.add(branch.map { $0 })
            _ = consume root
            end(promise, branch, below, ending, census)
            scheduler.run()
            #expect(await comesTrue { below.result != nil })
        }
        // A task releases its captures shortly after it has settled its future.
        _ = await comesTrue { census.living + references.living == 0 }
        return [census.living, references.living]
    }

    private func end(
        _ promise: Locked<Promise<Tracked>?>,
        _ branch: Future<Tracked>,
        _ below: Future<Tracked>,
        _ ending: Ending,
        _ census: Census
    ) {
        // Removed from the lock, so that the test does not keep it.
        let root = promise.withLock { promise -> Promise<Tracked>? in
            defer { promise = nil }
            return promise
        }
        switch ending {
        case .success: root?.resolve(with: Tracked(census))
        case .failure: root?.reject(with: Tracked(census))
        case .cancelledRoot: root?.cancel()
        case .cancelledBranch: branch.cancel()
        case .cancelledBelow: below.cancel()
        case .abandonment: break
        }
    }

    /// An operation that awaits a promise, and a closure that returns it, retain it, so it cannot be
    /// abandoned.
    private static let holding = ["awaiting", "nested flatMaps", "traverse"]

    private static let endings = shapes.flatMap { shape in
        Ending.allCases
            .filter { $0 != .abandonment || !holding.contains(shape.testDescription) }
            .map { (shape, $0) }
    }

    @Test(arguments: endings)
    func nothingSurvivesAFutureThatIsReleased(shape: Shape, ending: Ending) async {
        #expect(await survivors(of: shape, ending: ending) == [0, 0])
    }

    /// The root is pending and retained: a cancelled branch is released at once with its captures, and so is
    /// everything between it and the root.
    @Test(arguments: shapes.filter { $0.testDescription != "awaiting" })
    func aCancelledBranchOfAPendingPromiseGoesAtOnce(shape: Shape) {
        // These keep their token for other reasons: an observer stays registered, and a closure of a settled
        // outer future has already been called.
        let stays = shape.testDescription == "observe" ? 1 : 0
        let (census, references) = (Census(), WeakReferences())
        let (promise, scheduler) = (Promise<Tracked>(), ManualScheduler())
        do {
            let branch = references.add(shape.derive(promise, Tracked(census), scheduler))
            let below = references.add(branch.map { $0 }.always {})
            below.cancel()
        }
        #expect(census.living == stays)
        #expect(references.living == 0)
        #expect(scheduler.isIdle)
        #expect(promise.result == nil)
    }

    /// The cancelled future itself is still retained; the captures of its closure are released nevertheless.
    @Test(arguments: shapes.filter { !["awaiting", "observe"].contains($0.testDescription) })
    func aCancelledFutureThatIsHeldKeepsNothing(shape: Shape) {
        let census = Census()
        let (promise, scheduler) = (Promise<Tracked>(), ManualScheduler())
        let branch = shape.derive(promise, Tracked(census), scheduler)
        branch.cancel()
        #expect(branch.isCancelled)
        #expect(census.living == 0)
    }

    /// The settled future is retained: it keeps only the result, and neither its closure nor its source.
    @Test(arguments: shapes.filter { $0.testDescription != "awaiting" }, [true, false])
    func aSettledFutureThatIsHeldKeepsItsResultOnly(shape: Shape, succeeds: Bool) {
        let (census, references) = (Census(), WeakReferences())
        let scheduler = ManualScheduler()
        let branch: Future<Tracked>
        do {
            let promise = references.add(Promise<Tracked>())
            branch = shape.derive(promise, Tracked(census), scheduler)
            if succeeds {
                promise.resolve(with: Tracked(census))
            } else {
                promise.reject(with: Tracked(census))
            }
            scheduler.run()
        }
        #expect(branch.result != nil)
        // One object at most: the value, or the error. (All failures of `any` are in its error.)
        let most = shape.testDescription == "any" && !succeeds ? 2 : 1
        #expect(census.living <= most)
        #expect(references.living == 0)
    }
}

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
    @Test func aLoserOfARaceKeepsNothing() {
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

    @Test func aResultThatComesTooLateIsDropped() {
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
