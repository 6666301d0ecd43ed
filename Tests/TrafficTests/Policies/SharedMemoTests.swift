import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices
@testable import PledgeTraffic

@Suite struct SharedMemoTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    func memo(
        _ store: TestPolicyStore, failing: SharedState.Failing = .open
    ) -> SharedMemo<Int> {
        .ofNumbers(
            timeToLive: .seconds(60),
            shared: SharedState("price", in: store, failing: failing, on: scheduler))
    }

    func service(_ memo: SharedMemo<Int>, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(
            .observed(by: log.observer, on: scheduler),
            .memoize(by: { "\($0.number)" }, sharing: memo),
            over: upstream.send)
    }

    func upstream(_ values: Int...) -> Upstream {
        Upstream(on: scheduler, values.map { .atOnce(.success($0)) })
    }

    @Test("what one machine has loaded, the others find until its lifetime ends")
    func whatOneMachineHasLoadedTheOthersFind() {
        let store = TestPolicyStore(on: scheduler)
        let (first, second) = (upstream(1), upstream(2, 3))
        #expect(service(memo(store), first)(7).valueNow == 1)
        let other = service(memo(store), second)
        scheduler.advance(by: .seconds(60) - .nanoseconds(1))
        #expect(other(7).valueNow == 1)
        #expect(other(8).valueNow == 2)
        scheduler.advance(by: .nanoseconds(1))
        #expect(other(7).valueNow == 3)
        #expect(store.requests.prefix(2) == ["value price:memoize:7", "set price:memoize:7"])
        #expect(log.lines.count { $0.hasSuffix("memoize hit") } == 1)
        #expect(log.lines.count { $0.hasSuffix("memoize miss") } == 3)
    }

    @Test func withALocalMemoAndACoalescerAboveAProcessAsksTheStoreOnce() {
        let store = TestPolicyStore(on: scheduler)
        store.latency = { .milliseconds(10) }
        let upstream = upstream(1)
        let load = stack(
            .memoize(sharing: Memo(timeToLive: .seconds(5), on: scheduler)), .coalesce(),
            .memoize(by: { "\($0.number)" }, sharing: memo(store)), over: upstream.send)
        let calls = (1...5).map { _ in load(7) }
        scheduler.advance(by: .seconds(1))
        _ = load(7)
        #expect(calls.allSatisfy { $0.valueNow == 1 })
        #expect(upstream.count == 1)
        #expect(store.requests == ["value price:memoize:7", "set price:memoize:7"])
        scheduler.advance(by: .seconds(5))
        _ = load(7)
        #expect(store.requests.count == 3)
    }

    @Test func aSharedMemoReplacesADamagedOrForeignValue() {
        let store = TestPolicyStore(on: scheduler)
        for bytes in [[], [0xFF, 0], Array("1x".utf8), Array("{}".utf8)] as [[UInt8]] {
            _ = store.set(bytes, for: "price:memoize:7", lifetime: .seconds(9))
            let upstream = upstream(4)
            #expect(service(memo(store), upstream)(7).valueNow == 4)
            #expect(upstream.count == 1)
            #expect(store.value(for: "price:memoize:7").valueNow == Array("4".utf8))
        }
    }

    @Test func failuresAndAnswersThatCannotBeEncodedAreNotMemoized() {
        let store = TestPolicyStore(on: scheduler)
        let broken = Upstream(on: scheduler, [.atOnce(.failure(Broken()))])
        _ = service(memo(store), broken)(7)
        let mute = SharedMemo<Int>(
            timeToLive: .seconds(60), shared: SharedState("price", in: store, on: scheduler),
            encode: { _ in throw Broken() }, decode: { _ in 1 })
        #expect(service(mute, upstream(2))(7).valueNow == 2)
        let refused = stack(
            .memoize(
                by: { _ in "7" }, sharing: memo(store), classifier: Classifier { _ in .failure }),
            over: upstream(3).send)
        #expect(refused(7).valueNow == 3)
        #expect(!store.requests.contains("set price:memoize:7"))
    }

    @Test func theAnswerOfASharedMemosCallDoesNotWaitForItsWrite() {
        let store = TestPolicyStore(on: scheduler)
        let upstream = Upstream(on: scheduler, [.value(1)])
        let call = service(memo(store), upstream)(7)
        store.mode = .hangs
        scheduler.advance(by: .milliseconds(10))
        #expect(call.valueNow == 1)
        #expect(store.requests.last == "set price:memoize:7")
    }

    @Test(
        "an invalidated answer is gone for all machines, and a call in flight doesn't bring it back"
    )
    func anInvalidatedAnswerIsGoneForAllMachines() {
        let store = TestPolicyStore(on: scheduler)
        let (one, other) = (memo(store), memo(store))
        _ = service(one, upstream(1))(7)
        #expect(other.invalidate("7").valueNow != nil)
        #expect(service(one, upstream(2))(7).valueNow == 2)

        // The service is asked, and then the key is invalidated.
        one.invalidate("7")
        let call = service(one, Upstream(on: scheduler, [.value(3)]))(7)
        one.invalidate("7")
        scheduler.run()
        #expect(call.valueNow == 3)
        #expect(store.requests.count { $0 == "set price:memoize:7" } == 2)
        #expect(store.value(for: "price:memoize:7").valueNow == .some(nil))

        // The answer is on its way to the store, and then the key is invalidated.
        store.mode = .hangs
        let second = service(one, upstream(4))(7)
        store.goOn()
        #expect(second.valueNow == 4)
        #expect(store.requests.last == "set price:memoize:7")
        store.mode = .works
        one.invalidate("7")
        store.goOn()
        #expect(store.value(for: "price:memoize:7").valueNow == .some(nil))

        // The store is asked, and answers with what is then invalidated.
        _ = store.set(Array("5".utf8), for: "price:memoize:7", lifetime: .seconds(9))
        store.latency = { .milliseconds(5) }
        let third = service(one, upstream(6))(7)
        scheduler.advance(by: .milliseconds(5))
        one.invalidate("7")
        scheduler.run()
        #expect(third.valueNow == 6)
    }

    @Test func afterAnInvalidationNoCallerJoinsACallThatMayBringTheOldAnswer() {
        let store = TestPolicyStore(on: scheduler)
        let memo = memo(store)
        let upstream = Upstream(on: scheduler, [.value(1), .value(2)])
        let load = stack(
            .coalesce(), .memoize(by: { "\($0.number)" }, sharing: memo), over: upstream.send)
        let first = load(7)
        memo.invalidate("7")
        let second = load(7)
        scheduler.run()
        #expect(first.valueNow == 1 && second.valueNow == 2)
    }

    @Test("while the store fails, an open memo asks the service, a closed one fails the call")
    func whileTheStoreFailsAnOpenMemoAsksTheService() {
        let store = TestPolicyStore(on: scheduler)
        store.mode = .fails
        let upstream = upstream(1, 2, 3)
        let open = service(memo(store), upstream)
        #expect([open(7).valueNow, open(7).valueNow] == [1, 2])
        #expect(store.requests == ["value price:memoize:7"])
        let note = "memoize note(\"the store failed: going on without it\")"
        #expect(log.lines.filter { $0.hasSuffix(note) }.count == 1)
        let closed = memo(store, failing: .closed)
        let call = service(closed, upstream)(7)
        #expect(call.serviceError?.code == .storeFailed)
        #expect(call.serviceError?.cause is TestPolicyStore.Down)
        #expect(upstream.count == 2)
        #expect(closed.invalidate("7").serviceError?.cause is TestPolicyStore.Down)
        #expect(memo(store).invalidate("7").serviceError?.cause is TestPolicyStore.Down)
    }

    @Test(
        "a call's deadline holds while it waits for the store, and cancelling it cancels the question"
    )
    func aDeadlineHoldsWhileACallWaitsForTheStoreOfASharedMemo() {
        let (store, upstream) = (TestPolicyStore(on: scheduler), upstream(1))
        store.mode = .hangs
        let context = CallContext(deadline: CallDeadline(after: .milliseconds(40), on: scheduler))
        let load = service(memo(store), upstream)
        let call = context.run { load(7) }
        scheduler.run()
        #expect(call.serviceError?.code == .deadlineExceeded)
        load(8).cancel()
        #expect(store.cancelled == 2)
        #expect(upstream.count == 0)
    }

    /// An answer with a part for its first receiver, or of a user who has signed out.
    struct Answer: UserBound, Equatable {
        var text = "a cookie"
        var isOver = false
        var forOthers: Answer { Answer(text: "shared", isOver: isOver) }
    }

    @Test("the store gets no cookie, and no answer of a user who has signed out")
    func theStoreGetsNoCookie() {
        let sent = Locked([String]())
        let store = MemoryPolicyStore(on: scheduler)
        let memo = SharedMemo<Answer>(
            timeToLive: .seconds(60), shared: SharedState("a", in: store, on: scheduler),
            encode: { answer in
                sent.withLock { $0.append(answer.text) }
                return []
            }, decode: { _ in Answer(text: "kept") })
        let load = stack(
            .memoize(by: { "\($0)" }, sharing: memo),
            over: { (isOver: Bool) in Future(value: Answer(isOver: isOver)) })
        #expect(load(false).valueNow?.text == "a cookie")
        #expect(load(true).valueNow?.text == "a cookie")
        #expect(sent.withLock { $0 } == ["shared"])
    }
}
