import PledgeFutures
import TestSupport
import Testing

/// A future that is given up leaves the pending future's list at once, however often: memory stays constant.
@Suite(.oneAtATime) struct LeavingTests {
    static let times = depth()

    /// Derives futures from a pending promise many times and gives them up; counts the living objects.
    private func check(
        _ shape: String,
        sourceLocation: Testing.SourceLocation = #_sourceLocation,
        giveUp: (Promise<Int>, Census, WeakReferences) -> Void
    ) {
        let (promise, census, references) = (Promise<Int>(), Census(), WeakReferences())
        let order = TestLog<Int>()
        promise.observe { _ in order.append(1) }
        var peak = 0
        for time in 0..<Self.times {
            giveUp(promise, census, references)
            if time % 1_000 == 0 {
                peak = max(peak, census.living)
                // Only sometimes, since counting takes time.
                #expect(references.living == 0, "\(shape)", sourceLocation: sourceLocation)
                references.removeAll()
            }
        }
        promise.observe { _ in order.append(2) }
        #expect(peak == 0, "\(shape)", sourceLocation: sourceLocation)
        #expect(census.living == 0, "\(shape)", sourceLocation: sourceLocation)
        #expect(promise.resolve(with: 1), sourceLocation: sourceLocation)
        #expect(order.elements == [1, 2], sourceLocation: sourceLocation)
    }

    @Test func cancelledBranchesLeaveNothingInAPendingPromise() {
        check("map") { promise, census, references in
            references.add(
                promise.map { [token = Tracked(census)] in
                    token.use()
                    return $0
                }
            ).cancel()
        }
    }

    @Test func cancelledChainsLeaveNothingInAPendingPromise() {
        check("flatMap") { promise, census, references in
            let first = references.add(
                promise.flatMap { [token = Tracked(census)] in
                    token.use()
                    return Future(value: $0)
                }
            )
            first.recover { _ in 0 }.always {}.cancel()
        }
    }

    @Test func firedTimeoutsLeaveNothingInAPendingPromise() {
        let scheduler = ManualScheduler()
        check("timeout") { promise, census, references in
            let future = promise.map { [token = Tracked(census)] in
                token.use()
                return $0
            }
            references.add(future.timeout(.milliseconds(1), on: scheduler)).observe { _ in }
            scheduler.advance(by: .milliseconds(1))
        }
        #expect(scheduler.isIdle)
    }

    @Test func cancelledTimeoutsLeaveNothingInAPendingPromise() {
        let scheduler = ManualScheduler()
        check("cancelled timeout") { promise, census, references in
            references.add(promise.timeout(.seconds(1), on: scheduler)).cancel()
        }
        #expect(scheduler.isIdle)
        #expect(scheduler.now.offset == .zero)
    }

    @Test func lostRacesLeaveNothingInAPendingPromise() {
        check("race") { promise, census, references in
            let loser = promise.map { [token = Tracked(census)] in
                token.use()
                return $0
            }
            let winner = Promise<Int>()
            let race = references.add(Future.race([loser, winner, promise]))
            winner.resolve(with: 1)
            withExtendedLifetime(race) {}
        }
    }

    @Test func racesDecidedFromTheBeginningLeaveNothingInAPendingPromise() {
        check("decided race") { promise, census, references in
            _ = references.add(Future.race([Future(value: 1), promise.map { $0 }, promise]))
        }
    }

    @Test func failedAggregatesLeaveNothingInAPendingPromise() {
        check("all") { promise, census, references in
            _ = references.add(Future.all([promise, Future(error: Tracked(census)), promise]))
        }
    }

    #if os(Linux) || os(macOS)
    /// Measured in a process of its own, in which no other test allocates.
    @Test func aRaceThatHasSettledLeavesNothingInTheListOfWhatGoesOn() async {
        await #expect(processExitsWith: .success) {
            let source = Promise<Int>()
            source.onCancel { preconditionFailure("the source is still wanted") }
            let long = source.map { $0 }
            long.observe { _ in }
            func settle(_ times: Int) {
                for _ in 0..<times {
                    let (success, failure) = (Promise<Int>(), Promise<Int>())
                    Future.race([success, long], others: .keptGoing).observe { _ in }
                    Future.race([long, failure], others: .keptGoing).observe { _ in }
                    Future.all([failure, long], others: .keptGoing).observe { _ in }
                    Future.all([long, failure]).observe { _ in }
                    Future.any([success, long]).observe { _ in }
                    let follower = Promise<Int>()
                    follower.follow(long)
                    success.observe { follower.settle(with: $0) }
                    success.resolve(with: 1)
                    failure.reject(with: TestError())
                }
            }
            settle(10_000)
            let held = heldBytes()
            settle(50_000)
            let left = heldBytes() - held
            precondition(left < 2_000_000, "\(left) bytes are left")
            precondition(source.resolve(with: 1))
        }
    }
    #endif

    @Test(arguments: [false, true])
    func aFutureGoesOnForWhatNoLongerWaitsForIt(isDecided: Bool) {
        let (quick, source, calls) = (Promise<Int>(), Promise<Int>(), TestLog<Int>())
        source.onCancel { calls.append(1) }
        let long = source.map { $0 }
        if isDecided { quick.resolve(with: 1) }
        let race = Future.race([quick, long], others: .keptGoing)
        quick.resolve(with: 1)
        #expect(race.valueNow == 1)
        long.map { $0 }.cancel()
        long.observe { _ in }.cancel()
        #expect(!long.isSettled && calls.elements.isEmpty)
        #expect(source.resolve(with: 2) && long.valueNow == 2)
    }

    @Test func aHandlerThatComesLaterIsNotCalledForAnInterestThatLasts() {
        let (quick, long, calls) = (Promise<Int>(), Promise<Int>(), TestLog<Int>())
        long.map { $0 }.cancel()
        _ = Future.race([quick, long], others: .keptGoing)
        quick.resolve(with: 1)
        long.onCancel { calls.append(1) }
        #expect(!long.isSettled && calls.elements.isEmpty)
        long.cancel()
        #expect(calls.elements == [1])
    }

    @Test func aFutureThatOnlyForwardsGoesOnForWhatNoLongerWaitsForIt() {
        let (start, source, quick) = (Promise<Int>(), Promise<Int>(), Promise<Int>())
        let calls = TestLog<Int>()
        source.onCancel { calls.append(1) }
        let middle = Locked<Future<Int>?>(start.flatMap { _ in source.map { $0 } })
        let outer = Future(value: ()).flatMap { middle.withLock { $0 } ?? Promise() }
        _ = middle.withLock { $0.map { Future.race([quick, $0], others: .keptGoing) } }
        quick.resolve(with: 1)
        middle.withLock { $0 = nil }
        start.resolve(with: 1)
        outer.cancel()
        #expect(!source.isSettled && calls.elements.isEmpty)
        #expect(source.resolve(with: 2))
    }

    /// Branches leave in another order than that of their registration, while others stay.
    @Test func branchesThatLeaveInAnyOrderLeaveNothing() {
        var generator = SeededGenerator(seed: 3)
        let promise = Promise<Int>()
        let (census, order) = (Census(), TestLog<Int>())
        var branches: [(number: Int, future: Future<Int>)] = []
        var next = 0
        for _ in 0..<200 {
            for _ in 0..<Int(generator.next() % 20) {
                let number = next
                next += 1
                let branch = promise.map { [token = Tracked(census)] in
                    token.use()
                    order.append(number)
                    return $0
                }
                branches.append((number, branch))
            }
            branches.shuffle(using: &generator)
            for _ in 0..<min(branches.count, Int(generator.next() % 20)) {
                branches.removeLast().future.cancel()
            }
            #expect(census.living == branches.count)
        }
        promise.resolve(with: 1)
        #expect(order.elements == branches.map(\.number).sorted())
        #expect(branches.allSatisfy { $0.future.valueNow == 1 })
        #expect(census.living == 0)
    }

    /// Tasks that await and are cancelled leave too.
    @Test func cancelledTasksLeaveNothingInAPendingPromise() async {
        let promise = Promise<Int>()
        let census = Census()
        for _ in 0..<2_000 {
            let task = Task { [token = Tracked(census)] in
                token.use()
                return await promise.resultWhenSettled
            }
            task.cancel()
            _ = await task.value
        }
        #expect(await comesTrue { census.living == 0 })
        #expect(promise.resolve(with: 1))
    }
}
