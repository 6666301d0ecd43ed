import Pledge
import PledgeStores
import PledgeTesting
import TestSupport
import Testing

@Suite(.oneAtATime)
struct TestStoreAwaitTests {
    let log = TestLog<StoreFailure>()

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

    @Test(arguments: [true, false])
    func receivingFailsAtOnceIfNoEffectIsUnderWay(isInTime: Bool) async {
        let store = log.makeStore()
        let scheduler = ManualScheduler()
        // This clock does not move, and the live one would take an hour.
        if isInTime {
            await store.receive(.answered(7), within: .seconds(1), on: scheduler)
            await store.receive(where: { _ in true }, within: .seconds(1), on: scheduler)
        } else {
            await store.receive(.answered(7), within: .seconds(3600))
            await store.receive(.answered(7), expecting: Counter(), within: .seconds(3600))
        }
        #expect(log.messages.count == 2)
        #expect(
            log.messages.first
                == "receive(answered(7)): no event has come, and no effect is under way.")
        #expect(scheduler.isIdle)
    }

    @Test func receivingFailsWhenTheLastEffectEndsWithoutAnEvent() async {
        let scheduler = ManualScheduler()
        let promise = Promise<Int>()
        let store = log.makeStore(exhaustivity: .events, asking: { promise.map { $0 } })
        store.send(.ask)
        async let received: Void = store.receive(.answered(7), within: .seconds(1), on: scheduler)
        while scheduler.isIdle { await Task.yield() }
        promise.reject(with: CancellationError())
        await received
        #expect(
            log.messages == [
                "receive(answered(7)): no event has come, and no effect is under way."
            ])
    }

    @Test func anEffectThatWaitsForItsVirtualTimeIsUnderWay() async {
        let scheduler = ManualScheduler()
        let store = TestStore(
            initialState: 0,
            reducer: Reducer(effects: { (state: inout Int, event: Int) -> Effect<Int> in
                state += event
                if event != 1 { return .none }
                return Effect.future(Future(value: 10))
                    .debounce(id: "later", for: .seconds(1), on: scheduler)
            }), onFailure: log.add)
        store.send(1) { $0 = 1 }
        let limit = ManualScheduler()
        async let received: Void = store.receive(10, within: .seconds(1), on: limit) { $0 = 11 }
        while limit.isIdle { await Task.yield() }
        scheduler.advance(by: .seconds(1))
        await received
        #expect(log.messages == [])
    }

    @Test func waitsForWhatOthersDispatchToTheStore() async {
        let store = log.makeStore()
        let scheduler = ManualScheduler()
        let screen = store.store
        async let received: Void = store.receive(.increase, within: .seconds(1), on: scheduler) {
            $0.count = 1
        }
        while scheduler.isIdle { await Task.yield() }
        screen.dispatch(.increase)
        await received
        #expect(log.messages == [])
    }

    @Test func withoutEventsAnotherOneDoesNotEndTheWaiting() async {
        let scheduler = ManualScheduler()
        let answers = Locked<[Promise<Int>]>([])
        let store = log.makeStore(
            exhaustivity: .off,
            asking: {
                let promise = Promise<Int>()
                answers.withLock { $0.append(promise) }
                return promise
            })
        store.send(.askTwice)
        async let received: Void = store.receive(
            .answered(2), within: .seconds(1), on: scheduler
        ) { $0.count = 2 }
        while scheduler.isIdle { await Task.yield() }
        answers.withLock { $0 }[0].resolve(with: 1)
        // Waits until the event has been checked.
        for _ in 0..<1000 { await Task.yield() }
        answers.withLock { $0 }[1].resolve(with: 2)
        await received
        #expect(log.messages == [])
    }
}
