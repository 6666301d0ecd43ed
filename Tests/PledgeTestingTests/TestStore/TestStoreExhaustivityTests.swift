import Pledge
import PledgeTesting
import TestSupport
import Testing

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
        store.store.dispatch(event: .leave)
        store.store.dispatch(event: .increase)
        store.receive(.increase) { $0.count = 9 }
        #expect(log.messages == [])
        store.receive(.leave)
        #expect(log.messages == ["receive(leave): no event has come, and no effect is under way."])
        store.finish()
        #expect(log.messages.count == 1)
    }

    @Test func withoutEventsOneThatDoesNotMatchIsLeft() {
        let store = log.makeStore(exhaustivity: .all.subtracting(.events))
        store.store.dispatch(event: .increase)
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
