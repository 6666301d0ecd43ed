import Pledge
import PledgeStores
import PledgeTesting
import TestSupport
import Testing

@Suite(.oneAtATime)
struct TestStoreTests {
    let log = TestLog<StoreFailure>()

    @Test func whatIsExpectedIsNoFailure() {
        let store = log.makeStore()
        store.send(.increase) { $0.count = 1 }
        store.send(.increase, expecting: Counter(count: 2))
        store.send(.ask) { $0.isAsking = true }
        store.receive(.answered(7)) {
            $0.count = 7
            $0.isAsking = false
        }
        store.finish()
        #expect(log.messages == [])
        #expect(store.state == Counter(count: 7))
    }

    @Test("a wrong state is shown by what differs, at a place that can be opened")
    func aWrongStateIsShownByWhatDiffers() {
        let store = log.makeStore()
        let line: UInt = #line + 1
        store.send(.increase) { $0.count = 2 }
        #expect(
            log.messages == [
                """
                send(increase): the state is not as expected (- expected, + is).
                - count: 2
                + count: 1
                """
            ])
        #expect(log.lines == [line])
        #expect(log.locations.map { "\($0.fileID)" } == [#fileID])
        #expect(log.locations.map { "\($0.filePath)" } == [#filePath])
        #expect(log.locations.map(\.column) == [19])
    }

    @Test func anUnexpectedChangeIsAFailure() {
        let store = log.makeStore()
        store.send(.increase)
        #expect(
            log.messages == [
                """
                send(increase): the state has changed, and the test does not say how (- was, + is).
                - count: 0
                + count: 1
                """
            ])
    }

    @Test func anExpectedChangeThatDoesNotComeIsAFailure() {
        let store = log.makeStore()
        store.send(.leave) { $0.count = 1 }
        store.send(.leave, expecting: Counter(name: "x"))
        #expect(log.messages.count == 2)
        #expect(
            log.messages[1].hasSuffix(#"- name: "x"\#n+ name: "counter""#), "\(log.messages[1])")
    }

    @Test func aWrongStateOfAReceivedEventIsAFailure() {
        let store = log.makeStore()
        store.send(.ask) { $0.isAsking = true }
        store.receive(.answered(7)) { $0.count = 7 }
        #expect(log.messages.count == 1)
        #expect(log.messages[0].contains("receive(answered(7)): the state is not as expected"))
        #expect(log.messages[0].contains("- isAsking: true\n+ isAsking: false"))
        store.finish()
        #expect(log.messages.count == 1)
    }

    @Test func anotherEventIsAFailure() {
        let store = log.makeStore()
        store.send(.ask) { $0.isAsking = true }
        store.receive(.answered(8), expecting: Counter(count: 8))
        #expect(log.messages.count == 1)
        #expect(log.messages[0].hasPrefix("receive(answered(8)): another event came"))
        #expect(log.messages[0].contains("- .answered: 8\n+ .answered: 7"))
    }

    @Test func anEventThatHasNotComeIsAFailure() {
        let promise = Promise<Int>()
        let store = log.makeStore(asking: { promise })
        store.receive(.answered(7))
        store.send(.ask) { $0.isAsking = true }
        store.receive(.answered(7))
        #expect(
            log.messages == [
                "receive(answered(7)): no event has come, and no effect is under way.",
                "receive(answered(7)): no event has come, and 1 effect is under way.",
            ])
        store.send(.leave)
        store.finish()
        #expect(log.messages.count == 2)
    }

    @Test func anEventThatIsNotReceivedIsAFailureOnce() {
        let store = log.makeStore()
        store.send(.askTwice)
        store.send(.increase) { $0.count = 8 }
        #expect(
            log.messages == [
                """
                2 events were not received before send(increase):
                  answered(7)
                  answered(7)
                """
            ])
        store.finish()
        #expect(log.messages.count == 1)
    }

    @Test func anEventLeftAtTheEndIsAFailure() {
        let store = log.makeStore()
        store.send(.ask) { $0.isAsking = true }
        store.finish()
        #expect(log.messages == ["1 event was not received before the end:\n  answered(7)"])
    }

    @Test func anEventAfterTheEndIsAFailureWhenTheStoreGoes() {
        do {
            let store = log.makeStore()
            store.finish()
            store.store.dispatch(.increase)
            #expect(log.messages == [])
        }
        #expect(log.messages == ["1 event was not received before the end:\n  increase"])
    }

    @Test func anUnfinishedEffectIsAFailure() {
        let promise = Promise<Int>()
        let store = log.makeStore(asking: { promise })
        store.send(.ask) { $0.isAsking = true }
        store.finish()
        let advice = """
            1 effect has not ended. Answer the call that it waits for, or advance its scheduler, and \
            receive its events; or cancel it
            """
        #expect(log.messages == [advice])
    }

    @Test func aCancelledEffectIsNone() {
        let promise = Promise<Int>()
        let store = log.makeStore(asking: { promise })
        store.send(.ask) { $0.isAsking = true }
        store.send(.leave)
        promise.resolve(with: 1)
        store.finish()
        #expect(log.messages == [])
    }

    @Test func anEffectThatFailsWithoutAnEventIsAFailure() {
        let store = log.makeStore()
        store.send(.watch)
        store.finish()
        #expect(log.messages.count == 1)
        #expect(log.messages[0].hasPrefix("an effect failed, and no event says so: Offline"))
    }

    @Test func theReleaseIsAnEnd() {
        let line: UInt = #line + 1
        var store: TestStore? = log.makeStore()
        store?.send(.ask) { $0.isAsking = true }
        store = nil
        #expect(log.messages == ["1 event was not received before the end:\n  answered(7)"])
        #expect(log.lines == [line])
    }

    @Test func afterFinishTheReleaseIsNone() {
        var store: TestStore? = log.makeStore()
        store?.send(.ask) { $0.isAsking = true }
        store?.finish()
        store = nil
        #expect(log.messages.count == 1)
    }

    @Test func whatOthersDispatchIsReceived() {
        let store = log.makeStore()
        store.store.dispatch(.increase)
        store.receive(.increase) { $0.count = 1 }
        let token = store.store.subscribe { [weak inner = store.store] old, new in
            if old?.count == 1, new.count == 2 { inner?.dispatch(.leave) }
        }
        store.send(.increase) { $0.count = 2 }
        store.receive(.leave)
        token.cancel()
        store.finish()
        #expect(log.messages == [])
    }

    /// A store with an event that is to be received.
    private func makeAnsweredStore() -> TestStore<Counter, CounterEvent> {
        let store = log.makeStore()
        store.send(.ask) { $0.isAsking = true }
        return store
    }

    @Test func aFailedStepAndTheEndAreShownWhereTheyStand() {
        let first: UInt = #line + 1
        makeAnsweredStore().receive(.answered(7))
        makeAnsweredStore().receive(.answered(7), expecting: Counter(count: 1))
        makeAnsweredStore().receive(where: { _ in false })
        makeAnsweredStore().finish()
        makeAnsweredStore().send(.leave)
        makeAnsweredStore().send(.leave, expecting: Counter(count: 7))
        #expect(log.lines == Array(first..<first + 6))
        #expect(Set(log.locations.map { "\($0.filePath)" }) == [#filePath])
    }

    @Test func aFailedStepThatIsAwaitedIsShownWhereItStands() async {
        let first: UInt = #line + 1
        await makeAnsweredStore().receive(.answered(7))
        await makeAnsweredStore().receive(.answered(7), expecting: Counter(count: 1))
        await makeAnsweredStore().receive(where: { _ in false })
        #expect(log.lines == Array(first..<first + 3))
        #expect(Set(log.locations.map { "\($0.filePath)" }) == [#filePath])
    }
}

@Suite(.oneAtATime)
struct TestStoreInitTests {
    private struct Sum: Reducible, Equatable {
        var sum = 0
        static func reduce(_ state: Sum, event: Int) -> Sum { Sum(sum: state.sum + event) }
    }

    let log = TestLog<StoreFailure>()

    @Test func takesReducersAndReducibleStates() {
        let reducible = TestStore(initialState: Sum(), reducer: Reducer(), onFailure: log.add)
        reducible.send(3) { $0.sum = 3 }
        let function = TestStore(
            initialState: 0, reducer: Reducer { (state: Int, event: Int) in state + event },
            onFailure: log.add)
        function.send(3, expecting: 3)
        let reducer = TestStore(
            initialState: 0, reducer: Reducer<Int, Int> { state, event in state -= event },
            onFailure: log.add)
        reducer.send(3) { $0 = -3 }
        let withEffects = TestStore(
            initialState: 0,
            reducer: Reducer<Int, Int>(effects: { state, event in
                state += event
                return event == 1 ? .future(Future(value: 5)) : .none
            }), onFailure: log.add)
        withEffects.send(1, expecting: 1)
        withEffects.receive(5) { $0 = 6 }
        #expect(log.messages == [])
    }

    @Test func eachTakesMiddlewareAndFeedback() {
        let doubling = StoreMiddleware<Int, Int> { _ in { next in { next($0 * 2) } } }
        let once = Feedback<Int, Int> {
            $0 == 4 ? $0 : nil
        } effect: { _ in
            .future(Future(value: 10))
        }
        let stores = [
            TestStore(
                initialState: 0, reducer: Reducer { $0 + $1 }, middleware: [doubling],
                feedback: [once],
                onFailure: log.add),
            TestStore(
                initialState: 0, reducer: Reducer { state, event in state += event },
                middleware: [doubling], feedback: [once], onFailure: log.add),
            TestStore(
                initialState: 0,
                reducer: Reducer(effects: { (state: inout Int, event: Int) -> Effect<Int> in
                    state += event
                    return .none
                }), middleware: [doubling], feedback: [once], onFailure: log.add),
        ]
        for store in stores {
            store.send(2) { $0 = 4 }
            store.receive(20) { $0 = 24 }
            store.finish()
        }
        let reducible = TestStore(
            initialState: Sum(), reducer: Reducer(),
            middleware: [StoreMiddleware { _ in { next in { next($0 * 2) } } }],
            feedback: [
                Feedback {
                    $0.sum == 4 ? 4 : nil
                } effect: { _ in
                    .future(Future(value: 10))
                }
            ], onFailure: log.add)
        reducible.send(2) { $0.sum = 4 }
        reducible.receive(20) { $0.sum = 24 }
        #expect(log.messages == [])
    }

    @Test func whatTheInitialStateAsksForIsReceived() {
        let store = TestStore(
            initialState: Sum(sum: 1), reducer: Reducer(),
            feedback: [
                Feedback {
                    $0.sum == 1 ? 1 : nil
                } effect: { _ in
                    .future(Future(value: 10))
                }
            ], onFailure: log.add)
        store.receive(10) { $0.sum = 11 }
        store.finish()
        #expect(log.messages == [])
    }
}

@Suite(.oneAtATime)
struct TestStoreExhaustivityTests {
    let log = TestLog<StoreFailure>()

    @Test func withoutStateOnlyWhatIsSaidIsCompared() {
        let store = log.makeStore(exhaustivity: .all.subtracting(.state))
        store.send(.increase)
        store.send(.increase) { $0.count = 2 }
        store.send(.ask) { $0.name = "counter" }
        store.receive(.answered(7)) { $0.count = 7 }
        #expect(log.messages == [])
        store.send(.increase) { $0.name = "other" }
        #expect(log.messages.count == 1)
        #expect(log.messages[0].hasSuffix(#"- name: "other"\#n+ name: "counter""#))
        store.send(.increase, expecting: Counter())
        #expect(log.messages.count == 2)
    }

    @Test func withoutEventsThoseBeforeArePassedOver() {
        let store = log.makeStore(exhaustivity: .all.subtracting(.events))
        store.send(.ask) { $0.isAsking = true }
        store.send(.increase) { $0.count = 8 }
        store.store.dispatch(.leave)
        store.store.dispatch(.increase)
        store.receive(.increase) { $0.count = 9 }
        #expect(log.messages == [])
        store.receive(.leave)
        #expect(log.messages == ["receive(leave): no event has come, and no effect is under way."])
        store.finish()
        #expect(log.messages.count == 1)
    }

    @Test func withoutEventsOneThatDoesNotMatchIsLeft() {
        let store = log.makeStore(exhaustivity: .all.subtracting(.events))
        store.store.dispatch(.increase)
        store.receive(.leave)
        #expect(
            log.messages
                == [
                    "receive(leave): no such event has come, and no effect is under way:\n  increase"
                ]
        )
        store.receive(.increase) { $0.count = 1 }
        #expect(log.messages.count == 1)
    }

    @Test func withoutEffectsThoseUnderWayMayBeLeft() {
        let promise = Promise<Int>()
        let store = log.makeStore(exhaustivity: .all.subtracting(.effects), asking: { promise })
        store.send(.ask) { $0.isAsking = true }
        store.send(.watch)
        store.finish()
        #expect(log.messages == [])
    }

    @Test func canBeChangedOnTheWay() {
        let store = log.makeStore()
        store.exhaustivity = .off
        store.send(.askTwice)
        store.send(.increase)
        store.exhaustivity = .all
        store.send(.increase) { $0.count = 9 }
        store.finish()
        #expect(log.messages == [])
    }
}

/// A counter that can request a number, with or without a comparable answer.
struct Counter: Equatable, Sendable {
    var count = 0
    var name = "counter"
    var isAsking = false
}

enum CounterEvent: Equatable, Sendable {
    case increase
    case ask
    case answered(Int)
    case askTwice
    case leave
    case watch
}

struct CounterFeature: Sendable {
    let ask: @Sendable () -> Future<Int>

    @Sendable func reduce(_ state: inout Counter, _ event: CounterEvent) -> Effect<CounterEvent> {
        switch event {
        case .increase: state.count += 1
        case .ask:
            state.isAsking = true
            return .future { ask().map { .answered($0) } }.id("ask")
        case .askTwice:
            let effect = Effect<CounterEvent>.future { ask().map { .answered($0) } }
            return .merge(effect, effect)
        case .answered(let number):
            state.isAsking = false
            state.count = number
        case .leave: return .cancel(id: "ask")
        case .watch: return .future { Promise<CounterEvent>(error: Offline()) }
        }
        return .none
    }
}

struct Offline: Error {}

extension TestLog<StoreFailure> {
    /// A store that reports to this log.
    func makeStore(
        exhaustivity: TestStoreExhaustivity = .all,
        asking: @escaping @Sendable () -> Future<Int> = { Future(value: 7) },
        line: UInt = #line
    ) -> TestStore<Counter, CounterEvent> {
        TestStore(
            initialState: Counter(), reducer: Reducer(effects: CounterFeature(ask: asking).reduce),
            exhaustivity: exhaustivity, onFailure: add, line: line)
    }
}

/// A failure of a test store, which is recorded here and does not fail the test.
struct StoreFailure: Sendable {
    let message: String
    let location: TestSourceLocation
}

extension TestLog<StoreFailure> {
    var messages: [String] { elements.map(\.message) }
    var locations: [TestSourceLocation] { elements.map(\.location) }
    var lines: [UInt] { locations.map(\.line) }

    @Sendable func add(_ message: String, at location: TestSourceLocation) {
        append(StoreFailure(message: message, location: location))
    }
}
