import Pledge
import PledgeTesting
import Testing

@Suite(.timeLimit(.minutes(10)))
struct TestStoreAwaitTests {
    let log = FailureLog()

    @Test func waitsForAnEventFromAnotherThread() async {
        let store = log.makeStore(asking: { Future(value: 7).delay(.milliseconds(1), on: .live) })
        store.send(.askTwice)
        await store.receive(.answered(7)) { $0.count = 7 }
        await store.receive(where: { $0 == .answered(7) })
        store.finish()
        #expect(log.messages == [])
    }

    @Test func failsWhenTheTimeIsUp() async throws {
        let scheduler = ManualScheduler()
        let promise = Promise<Int>()
        let store = log.makeStore(asking: { promise })
        store.send(.ask) { $0.isAsking = true }
        async let received: Void = store.receive(.answered(7), within: .seconds(5), on: scheduler)
        while scheduler.isIdle { await Task.yield() }
        scheduler.advance(by: .seconds(5))
        await received
        #expect(
            log.messages
                == ["receive(answered(7)): no event has come, and 1 effect is under way."])
        store.send(.leave)
        store.finish()
        #expect(scheduler.isIdle)
    }

    @Test func withoutEventsItWaitsForTheOneThatMatches() async {
        let answers = Locked<[Promise<Int>]>([])
        let store = log.makeStore(
            exhaustivity: .off,
            asking: {
                let promise = Promise<Int>()
                answers.withLock { $0.append(promise) }
                return promise
            })
        store.send(.askTwice)
        async let received: Void = store.receive(.answered(2)) { $0.count = 2 }
        answers.withLock { $0 }[0].resolve(with: 1)
        answers.withLock { $0 }[1].resolve(with: 2)
        await received
        #expect(log.messages == [])
    }

    @Test func anEventThatAMiddlewareSendsLaterIsToBeReceived() async {
        let gate = Promise<Void>()
        let later = DispatchMiddleware<Int, Int> { _ in
            { next in
                { event in
                    Task {
                        try? await gate.value
                        next(event)
                    }
                }
            }
        }
        let store = TestStore(
            initialState: 0, reduce: { $0 + $1 }, middleware: [later], onFailure: log.add)
        store.send(3)
        gate.resolve(with: ())
        await store.receive(3) { $0 = 3 }
        store.finish()
        #expect(log.messages == [])
    }

    @Test func waitsForAnEventAndExpectsAState() async {
        let store = log.makeStore(asking: { Future(value: 7).delay(.milliseconds(1), on: .live) })
        store.send(.ask) { $0.isAsking = true }
        await store.receive(.answered(7), expecting: Counter(count: 7))
        store.send(.ask) { $0.isAsking = true }
        await store.receive(.answered(7), expecting: Counter(count: 8))
        #expect(log.messages.count == 1)
    }

    @Test func aCancelledTaskDoesNotWait() async {
        let promise = Promise<Int>()
        let store = log.makeStore(exhaustivity: .events, asking: { promise })
        store.send(.ask)
        let waiting = Task { await store.receive(.answered(7)) }
        waiting.cancel()
        await waiting.value
        #expect(log.messages.count == 1)
    }
}
