import PledgeFutures
import TestSupport
import Testing

/// A combinator gives up producers and timers that it does not need any more.
@Suite struct GivingUpTests {
    /// Producers that record their cancellations.
    private struct Producers {
        let promises: [Promise<Int>]
        let heard = TestLog<Int>()

        init(_ count: Int) {
            promises = (0..<count).map { _ in Promise<Int>() }
            for (index, promise) in promises.enumerated() {
                promise.onCancel { [heard] in heard.append(index) }
            }
        }
    }

    private let producers = Producers(4)
    private let scheduler = ManualScheduler()
    private var promises: [Promise<Int>] { producers.promises }
    private var heard: [Int] { producers.heard.elements.sorted() }

    /// The producers, each behind a timer.
    private func timed() -> [Future<Int>] {
        promises.map { $0.map { $0 }.timeout(.seconds(60), on: scheduler) }
    }

    @Test(arguments: [true, false])
    func raceGivesUpTheLosers(succeeds: Bool) {
        let race = Future.race(timed())
        if succeeds {
            promises[2].resolve(with: 1)
        } else {
            promises[2].reject(with: TestError())
        }
        #expect(race.result != nil)
        #expect(heard == [0, 1, 3])
        #expect(scheduler.isIdle)
    }

    @Test func anyGivesUpTheRestAtTheFirstSuccessOnly() {
        let any = Future.any(timed())
        promises[0].reject(with: TestError())
        #expect(heard.isEmpty)
        promises[1].resolve(with: 1)
        #expect(any.valueNow == 1)
        #expect(heard == [2, 3])
        #expect(scheduler.isIdle)
    }

    @Test func allGivesUpTheRestAtTheFirstFailureOnly() {
        let all = Future.all(timed())
        promises[0].resolve(with: 1)
        #expect(heard.isEmpty)
        promises[3].reject(with: TestError(number: 3))
        #expect(all.errorNow as? TestError == TestError(number: 3))
        #expect(heard == [1, 2])
        #expect(scheduler.isIdle)
    }

    @Test func zipGivesUpTheRestAtTheFirstFailure() {
        let timed = timed()
        let zipped = zip(timed[0], timed[1], timed[2], timed[3])
        promises[3].reject(with: TestError())
        #expect(zipped.result != nil)
        #expect(heard == [0, 1, 2])
        #expect(scheduler.isIdle)
    }

    @Test func allSettledGivesUpNothing() {
        let settled = Future.allSettled(timed())
        promises[0].reject(with: TestError())
        promises[1].resolve(with: 1)
        #expect(heard.isEmpty)
        #expect(settled.result == nil)
        settled.cancel()
        #expect(heard == [2, 3])
        #expect(scheduler.isIdle)
    }

    /// An input that is not needed from the beginning, since an earlier one has already decided the result.
    @Test func aRaceWithASettledInputGivesUpTheInputsAfterIt() {
        let decided: [Future<Int>] = [Future(value: 1)] + timed()
        #expect(Future.race(decided).valueNow == 1)
        #expect(heard == [0, 1, 2, 3])
        #expect(scheduler.isIdle)
    }

    @Test func allAndAnyDecidedByASettledInputGiveUpTheInputsBeforeAndAfterIt() {
        let failed = Future<Int>(error: TestError())
        #expect(Future.all([promises[0], failed, promises[1]]).result != nil)
        #expect(heard == [0, 1])
        #expect(Future.any([promises[2], Future(value: 1), promises[3]]).valueNow == 1)
        #expect(heard == [0, 1, 2, 3])
    }

    @Test func theLoserOfARaceGoesOnWhileOthersWaitForIt() {
        let other = promises[1].map { $0 }
        let race = Future.race([promises[0], promises[1]])
        promises[0].resolve(with: 0)
        #expect(race.valueNow == 0)
        #expect(heard.isEmpty)
        promises[1].resolve(with: 1)
        #expect(other.valueNow == 1)
    }

    @Test func aTimeoutThatFiresGivesUpItsSource() {
        let timed = promises[0].timeout(.seconds(2), on: scheduler)
        scheduler.advance(by: .seconds(1))
        #expect(heard.isEmpty)
        scheduler.advance(by: .seconds(1))
        #expect(timed.codeNow == .timedOut)
        #expect(heard == [0])
        #expect(promises[0].isCancelled)
    }

    @Test func aTimeoutOfOneBranchOfAFutureLeavesTheOtherPending() {
        let short = promises[0].timeout(.seconds(1), on: scheduler)
        let long = promises[0].timeout(.seconds(3), on: scheduler)
        scheduler.advance(by: .seconds(2))
        #expect(short.codeNow == .timedOut)
        #expect(heard.isEmpty)
        promises[0].resolve(with: 5)
        #expect(long.valueNow == 5)
        #expect(scheduler.isIdle)
    }

    @Test func aCancelledFlatMapLosesTheStepThatIsUnderWayOnly() {
        let (first, second) = (promises[0], promises[1])
        let future = first.flatMap { _ in second }
        #expect(heard.isEmpty)
        first.resolve(with: 1)
        future.cancel()
        #expect(heard == [1])
        #expect(first.valueNow == 1)
    }

    /// A cancellation while the closure runs takes effect on the future that the closure returns.
    @Test func aFlatMapCancelledByItsClosureGivesUpTheInnerFuture() {
        let (outer, inner) = (promises[0], promises[1])
        let own = Locked<Future<Int>?>(nil)
        let future = outer.flatMap { _ in
            own.withLock { $0 }?.cancel()
            return inner
        }
        own.withLock { $0 = future }
        outer.resolve(with: 1)
        #expect(future.isCancelled)
        #expect(heard == [1])
        #expect(inner.isCancelled)
        own.withLock { $0 = nil }
    }

    @Test func aFlatMapErrorCancelledByItsClosureGivesUpTheInnerFuture() {
        let (outer, inner) = (promises[0], promises[1])
        let own = Locked<Future<Int>?>(nil)
        let future = outer.flatMapError { _ in
            own.withLock { $0 }?.cancel()
            return inner
        }
        own.withLock { $0 = future }
        outer.reject(with: TestError())
        #expect(future.isCancelled)
        #expect(heard == [1])
        own.withLock { $0 = nil }
    }

    @Test func anOperationIsCancelledWithItsLastConsumer() async {
        let started = Promise<Void>()
        let ended = Promise<Bool>()
        let future = Future<Int> {
            started.resolve(with: ())
            // Waits for a promise that is given up only if this task is cancelled.
            let forever = Promise<Int>()
            let result = await forever.resultWhenSettled
            ended.resolve(with: Task.isCancelled)
            return try result.get()
        }
        let (a, b) = (future.map { $0 }, future.map { $0 })
        _ = await started.resultWhenSettled
        a.cancel()
        #expect(ended.result == nil)
        b.cancel()
        #expect(await ended.resultWhenSettled.get(or: false))
        #expect(future.isCancelled)
    }
}

extension Result {
    /// The value, or another one in place of an error.
    fileprivate func get(or other: Success) -> Success { (try? get()) ?? other }
}
