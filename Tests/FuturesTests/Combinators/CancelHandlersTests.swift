import PledgeFutures
import TestSupport
import Testing

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

    @Test func severalRunInOrder() {
        for number in 0..<5 { listen(number) }
        promise.cancel()
        #expect(heard.elements == [0, 1, 2, 3, 4])
        promise.cancel()
        #expect(heard.elements == [0, 1, 2, 3, 4])
    }

    @Test func afterCancellationItRunsAtOnceAndIsReleased() {
        promise.cancel()
        listen(1)
        #expect(heard.elements == [1])
        #expect(census.living == 0)
    }

    @Test func afterSettlingItIsDropped() {
        promise.resolve(with: 1)
        listen(1)
        promise.cancel()
        #expect(heard.elements.isEmpty)
        #expect(census.living == 0)
    }

    @Test func afterRejectionWithACancellationErrorItIsDropped() {
        promise.reject(with: CancellationError())
        listen(1)
        #expect(heard.elements.isEmpty)
    }

    @Test func settlingReleasesWhatHandlersCapture() {
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
    func whatAHandlerKeepsFindsThePromiseSettledWhenItGoes(
        settle: @Sendable (Promise<Int>) -> Void
    ) {
        listen { [promise, heard] in
            // This would wait forever if the promise were still closed or locked.
            promise.observe { _ in heard.append(1) }
        }
        settle(promise)
        #expect(heard.elements == [1])
    }

    @Test func cancellingReleasesWhatHandlersCapture() {
        for number in 0..<3 { listen(number) }
        promise.cancel()
        #expect(heard.elements == [0, 1, 2])
        #expect(census.living == 0)
    }

    @Test func theLastInterestReleasesWhatHandlersCapture() {
        listen(1)
        promise.map { $0 }.cancel()
        #expect(heard.elements == [1])
        #expect(census.living == 0)
    }

    @Test func aHandlerMayAddAnother() {
        let (promise, heard) = (promise, heard)
        promise.onCancel {
            heard.append(1)
            promise.onCancel { heard.append(2) }
            heard.append(3)
        }
        promise.cancel()
        #expect(heard.elements == [1, 2, 3])
    }

    @Test func aHandlerSeesTheFutureSettledAndCannotChangeIt() {
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
    @Test func aHandlerMayUseTheFuturesAround() {
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

    @Test func aPromiseThatIsReleasedCallsNone() {
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

    @Test func withoutAnyConsumerNothingIsCancelled() {
        listen(1)
        #expect(promise.result == nil)
        #expect(promise.resolve(with: 1))
        #expect(heard.elements.isEmpty)
    }
}
