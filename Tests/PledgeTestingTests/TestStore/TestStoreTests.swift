import Pledge
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

    @Test("T3: a wrong state is shown by what differs, at a place that can be opened")
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
            store.store.dispatch(event: .increase)
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
        store.store.dispatch(event: .increase)
        store.receive(.increase) { $0.count = 1 }
        let id = store.store.subscribe { [weak inner = store.store] old, new in
            if old?.count == 1, new.count == 2 { inner?.dispatch(event: .leave) }
        }
        store.send(.increase) { $0.count = 2 }
        store.receive(.leave)
        store.store.unsubscribe(id)
        store.finish()
        #expect(log.messages == [])
    }

    /// A store with an event that is to be received.
    private func makeAnsweredStore() -> TestStore<Counter, CounterEvent> {
        let store = log.makeStore()
        store.send(.ask) { $0.isAsking = true }
        return store
    }

    @Test("T3: each step and the end are shown where they stand")
    func eachStepIsShownWhereItStands() {
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

    @Test("T3: each step that is awaited is shown where it stands")
    func eachAwaitedStepIsShownWhereItStands() async {
        let first: UInt = #line + 1
        await makeAnsweredStore().receive(.answered(7))
        await makeAnsweredStore().receive(.answered(7), expecting: Counter(count: 1))
        await makeAnsweredStore().receive(where: { _ in false })
        #expect(log.lines == Array(first..<first + 3))
        #expect(Set(log.locations.map { "\($0.filePath)" }) == [#filePath])
    }
}
