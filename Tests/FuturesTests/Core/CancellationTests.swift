import PledgeFutures
import TestSupport
import Testing

/// A cancellation of derived futures reaches the producer after the last interest is given up, and no
/// earlier.
@Suite struct CancellationTests {
    /// A combinator, as a function that derives a future from a promise.
    struct Shape: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let derive: @Sendable (Future<Int>, ManualScheduler) -> Future<Int>

        init(
            _ name: String,
            _ derive: @escaping @Sendable (Future<Int>, ManualScheduler) -> Future<Int>
        ) {
            testDescription = name
            self.derive = derive
        }
    }

    static let shapes = unary + forwarding + aggregates

    private static let unary = [
        Shape("map") { future, _ in future.map { $0 + 1 } },
        Shape("flatMap") { future, _ in future.flatMap { Future(value: $0) } },
        Shape("mapError") { future, _ in future.mapError { $0 } },
        Shape("recover") { future, _ in future.recover { throw $0 } },
        Shape("flatMapError") { future, _ in future.flatMapError { Future(error: $0) } },
        Shape("filter") { future, _ in future.filter { _ in true } },
        Shape("always") { future, _ in future.always {} },
        Shape("onSuccess") { future, _ in future.onSuccess { _ in } },
        Shape("onFailure") { future, _ in future.onFailure { _ in } },
        Shape("timeout") { future, scheduler in future.timeout(.seconds(9), on: scheduler) },
        Shape("delay") { future, scheduler in future.delay(.seconds(9), on: scheduler) },
        Shape("a chain") { future, scheduler in
            future.map { $0 }.timeout(.seconds(9), on: scheduler).flatMap { Future(value: $0) }
                .recover { throw $0 }.delay(.seconds(1), on: scheduler).always {}
        },
    ]

    private static let forwarding = [
        Shape("inside flatMap") { future, _ in Future(value: 1).flatMap { _ in future } },
        Shape("inside flatMapError") { future, _ in
            Future<Int>(error: TestError()).flatMapError { _ in future }
        },
        Shape("inside a flatMap settled later") { future, _ in
            let outer = Promise<Int>()
            let mapped = outer.flatMap { _ in future.map { $0 } }
            outer.resolve(with: 1)
            return mapped
        },
        Shape("inside two flatMaps") { future, _ in
            Future(value: 1).flatMap { _ in Future(value: 2).flatMap { _ in future } }
        },
    ]

    private static let aggregates = [
        Shape("zip") { future, _ in zip(future, Future(value: 1)).map { $0 + $1 } },
        Shape("zip of itself") { future, _ in zip(future, future).map { $0 + $1 } },
        Shape("all") { future, _ in Future.all([future, future]).map { $0[0] } },
        Shape("allSettled") { future, _ in Future.allSettled([future]).map { try $0[0].get() } },
        Shape("any") { future, _ in Future.any([Future(error: TestError()), future]) },
        Shape("race") { future, _ in Future.race([future, future.map { $0 }]) },
        Shape("traverse") { future, _ in
            Future.traverse(0..<9, maxConcurrent: 2) { _ in future }.map { $0[0] }
        },
    ]

    /// A promise that records when its producer is notified of a cancellation.
    private func makePromise() -> (Promise<Int>, TestLog<Int>) {
        let promise = Promise<Int>()
        let heard = TestLog<Int>()
        promise.onCancel { heard.append(1) }
        return (promise, heard)
    }

    @Test(arguments: shapes)
    func cancellingTheOnlyFutureDerivedFromAPromiseReachesItsProducer(shape: Shape) {
        let scheduler = ManualScheduler()
        let (promise, heard) = makePromise()
        let branch = shape.derive(promise, scheduler)
        #expect(heard.elements.isEmpty)
        branch.cancel()
        #expect(branch.isCancelled)
        #expect(promise.isCancelled)
        #expect(heard.elements == [1])
        #expect(scheduler.isIdle)
        branch.cancel()
        #expect(heard.elements == [1])
    }

    @Test(arguments: shapes)
    func onlyCancellingTheLastOfSeveralDerivedFuturesReachesTheProducer(shape: Shape) {
        let scheduler = ManualScheduler()
        let (promise, heard) = makePromise()
        let branches = (0..<4).map { _ in shape.derive(promise, scheduler) }
        for index in [1, 3, 0] {
            branches[index].cancel()
            #expect(branches[index].isCancelled)
            #expect(heard.elements.isEmpty)
            #expect(promise.result == nil)
        }
        #expect(branches[2].result == nil)
        branches[2].cancel()
        #expect(heard.elements == [1])
        #expect(scheduler.isIdle)
    }

    @Test(arguments: shapes)
    func onlyTheLastConsumerOfADerivedFutureToCancelReachesTheProducer(shape: Shape) {
        let scheduler = ManualScheduler()
        let (promise, heard) = makePromise()
        let branch = shape.derive(promise, scheduler)
        let (a, b) = (branch.map { $0 }, branch.flatMap { Future(value: $0) })
        a.cancel()
        #expect(a.isCancelled)
        #expect(branch.result == nil)
        #expect(b.result == nil)
        #expect(heard.elements.isEmpty)
        b.cancel()
        #expect(branch.isCancelled)
        #expect(heard.elements == [1])
        #expect(scheduler.isIdle)
    }

    @Test(arguments: shapes)
    func cancellingOneDerivedFutureNeverFailsAnother(shape: Shape) {
        let scheduler = ManualScheduler()
        let (promise, heard) = makePromise()
        let (gone, kept) = (shape.derive(promise, scheduler), shape.derive(promise, scheduler))
        gone.cancel()
        promise.resolve(with: 1)
        scheduler.run()
        #expect(gone.isCancelled)
        #expect(kept.valueNow != nil)
        #expect(heard.elements.isEmpty)
    }

    @Test(arguments: shapes)
    func anObserverOfAPromiseKeepsItsProducerAtWork(shape: Shape) {
        let (promise, heard) = makePromise()
        let results = TestLog<Int?>()
        promise.observe { results.append(try? $0.get()) }
        shape.derive(promise, ManualScheduler()).cancel()
        #expect(heard.elements.isEmpty)
        promise.resolve(with: 6)
        #expect(results.elements == [6])
    }

    @Test(arguments: shapes)
    func cancellingAPromiseSettlesAllFuturesDerivedFromIt(shape: Shape) {
        let scheduler = ManualScheduler()
        let (promise, heard) = makePromise()
        let branches = (0..<3).map { _ in shape.derive(promise, scheduler).map { $0 } }
        promise.cancel()
        #expect(heard.elements == [1])
        #expect(branches.allSatisfy { $0.result != nil })
        #expect(scheduler.isIdle)
    }

    @Test(arguments: shapes)
    func aProducerWithoutACancelHandlerGoesOn(shape: Shape) {
        let promise = Promise<Int>()
        let scheduler = ManualScheduler()
        shape.derive(promise, scheduler).cancel()
        #expect(promise.result == nil)
        let late = shape.derive(promise, scheduler)
        #expect(promise.resolve(with: 1))
        scheduler.run()
        #expect(late.valueNow != nil)
    }

    @Test(arguments: shapes)
    func aCancelHandlerAddedAfterTheLastDerivedFutureIsCancelledRunsAtOnce(shape: Shape) {
        let promise = Promise<Int>()
        shape.derive(promise, ManualScheduler()).cancel()
        let heard = TestLog<Int>()
        promise.onCancel { heard.append(1) }
        #expect(heard.elements == [1])
        #expect(promise.isCancelled)
    }

    @Test(arguments: shapes)
    func aCancelHandlerWaitsUntilTheLastDerivedFutureIsCancelled(shape: Shape) {
        let promise = Promise<Int>()
        shape.derive(promise, ManualScheduler()).cancel()
        let other = shape.derive(promise, ManualScheduler())
        let heard = TestLog<Int>()
        promise.onCancel { heard.append(1) }
        #expect(heard.elements.isEmpty)
        #expect(other.result == nil)
        other.cancel()
        #expect(heard.elements == [1])
    }

    @Test(arguments: shapes)
    func aTaskThatStopsAwaitingAFutureFailsNobodyElse(shape: Shape) async {
        let scheduler = ManualScheduler()
        let (promise, heard) = makePromise()
        let branch = shape.derive(promise, scheduler)
        let other = branch.map { $0 }
        let task = Task { await branch.resultWhenSettled }
        task.cancel()
        let given = await task.value
        #expect(throws: CancellationError.self) { try given.get() }
        #expect(branch.result == nil)
        #expect(heard.elements.isEmpty)
        other.cancel()
        #expect(heard.elements == [1])
    }
}

@Suite(.oneAtATime) struct CancelHandlersTests {
    private let promise = Promise<Int>()
    private let heard = TestLog<Int>()
    private let census = Census()

    /// Registers a handler that captures an object.
    private func listen(_ number: Int) {
        let token = Tracked(census)
        promise.onCancel { [heard] in
            token.use()
            heard.append(number)
        }
    }

    /// Registers a handler that captures an object, which calls a closure in its deinit.
    private func listen(untilDeinit body: @escaping @Sendable () -> Void) {
        let last = OnDeinit(body)
        promise.onCancel { last.use() }
    }

    @Test func cancelHandlersRunOnceAndInOrderWhenAPromiseIsCancelledTwice() {
        for number in 0..<5 { listen(number) }
        promise.cancel()
        #expect(heard.elements == [0, 1, 2, 3, 4])
        promise.cancel()
        #expect(heard.elements == [0, 1, 2, 3, 4])
    }

    @Test func aCancelHandlerAddedToACancelledPromiseRunsAtOnce() {
        promise.cancel()
        listen(1)
        #expect(heard.elements == [1])
        #expect(census.living == 0)
    }

    @Test func aCancelHandlerAddedToASettledPromiseIsDropped() {
        promise.resolve(with: 1)
        listen(1)
        promise.cancel()
        #expect(heard.elements.isEmpty)
        #expect(census.living == 0)
    }

    @Test func aCancelHandlerAddedToAPromiseRejectedWithACancellationErrorIsDropped() {
        promise.reject(with: CancellationError())
        listen(1)
        #expect(heard.elements.isEmpty)
    }

    @Test func settlingAPromiseReleasesWhatItsCancelHandlersCapture() {
        for number in 0..<3 { listen(number) }
        #expect(census.living == 3)
        promise.resolve(with: 1)
        #expect(census.living == 0)
        #expect(heard.elements.isEmpty)
    }

    /// For each way to settle: the deinit of a captured object observes the promise.
    @Test(
        arguments: [
            { (promise: Promise<Int>) in _ = promise.resolve(with: 1) },
            { promise in _ = promise.reject(with: CancellationError()) },
            { promise in promise.cancel() },
            { promise in promise.map { $0 }.cancel() },
        ] as [@Sendable (Promise<Int>) -> Void]
    )
    func anObjectThatACancelHandlerCapturesIsFreedAfterThePromiseIsSettled(
        settle: @Sendable (Promise<Int>) -> Void
    ) {
        listen { [promise, heard] in
            // This would wait forever if the promise were still closed or locked.
            promise.observe { _ in heard.append(1) }
        }
        settle(promise)
        #expect(heard.elements == [1])
    }

    @Test func cancellingAPromiseReleasesWhatItsCancelHandlersCapture() {
        for number in 0..<3 { listen(number) }
        promise.cancel()
        #expect(heard.elements == [0, 1, 2])
        #expect(census.living == 0)
    }

    @Test func cancellingTheLastDerivedFutureReleasesWhatCancelHandlersCapture() {
        listen(1)
        promise.map { $0 }.cancel()
        #expect(heard.elements == [1])
        #expect(census.living == 0)
    }

    @Test func aCancelHandlerMayAddAnotherToItsPromise() {
        let (promise, heard) = (promise, heard)
        promise.onCancel {
            heard.append(1)
            promise.onCancel { heard.append(2) }
            heard.append(3)
        }
        promise.cancel()
        #expect(heard.elements == [1, 2, 3])
    }

    @Test func aCancelHandlerSeesItsPromiseCancelledAndCannotSettleIt() {
        let promise = promise
        let seen = TestLog<Bool>()
        promise.onCancel { [weak promise] in
            seen.append(promise?.isCancelled == true)
            seen.append(promise?.resolve(with: 1) == false)
        }
        promise.map { $0 }.cancel()
        #expect(seen.elements == [true, true])
    }

    /// No lock is held while handlers run: they may use the futures that were just given up.
    @Test func aCancelHandlerMayUseItsPromiseAndTheFuturesDerivedFromIt() {
        let promise = promise
        let results = TestLog<Bool>()
        let branch = promise.map { $0 }
        promise.onCancel { [weak promise, weak branch] in
            results.append(branch?.isCancelled == true)
            results.append(promise?.map { $0 }.isCancelled == true)
            promise?.observe { _ in results.append(true) }
        }
        branch.cancel()
        #expect(results.elements == [true, true, true])
    }

    @Test func aPromiseThatIsReleasedCallsNoCancelHandler() {
        do {
            let promise = Promise<Int>()
            let token = Tracked(census)
            promise.onCancel { [heard] in
                token.use()
                heard.append(1)
            }
        }
        #expect(heard.elements.isEmpty)
        #expect(census.living == 0)
    }

    @Test func aPromiseWithoutAConsumerIsNotCancelled() {
        listen(1)
        #expect(promise.result == nil)
        #expect(promise.resolve(with: 1))
        #expect(heard.elements.isEmpty)
    }
}

/// Cancel handlers that cancel futures with cancel handlers of their own.
@Suite(.oneAtATime) struct CancelChainTests {
    @Test func aChainOfPromisesThatCancelEachOtherNeedsNoStack() {
        let isCancelled = onSmallThread {
            let first = Promise<Int>()
            var last = first
            for _ in 0..<200_000 {
                let upstream = last
                last = Promise()
                last.onCancel { upstream.cancel() }
            }
            last.cancel()
            return first.isCancelled
        }
        #expect(isCancelled)
    }

    @Test func cancelHandlersOfOnePromiseRunInTheOrderInWhichTheyWereAdded() {
        let order = TestLog<Int>()
        let promise = Promise<Int>()
        for number in 0..<5 { promise.onCancel { order.append(number) } }
        promise.cancel()
        #expect(order.elements == [0, 1, 2, 3, 4])
    }
}
