import PledgeArticles
import PledgeStores
import TestSupport
import Testing

@Suite struct StoreInitailStateTests {
    private struct Counter: Reducible {
        var count = 0
        enum Event { case increase }

        static func reduce(_ state: Counter, event: Event) -> Counter {
            Counter(count: state.count + 1)
        }
    }

    @Test func theArticlesSpellingMakesTheSameStores() {
        let counter = Store(initailState: Counter(count: 3))
        counter.dispatch(event: .increase)
        #expect(counter.state.count == 4)
        let product = Store(initailState: 1, reduce: { (state: Int, event: Int) in state * event })
        product.dispatch(event: 5)
        #expect(product.state == 5)
    }

    @Test func theArticlesSpellingEndsASubscription() {
        let store = Store(initailState: Counter(count: 3))
        let seen = TestLog<Int>()
        let subscriptionID = store.subscribe { _, new in seen.append(new.count) }
        store.unsubscribe(subscriptionID)
        store.dispatch(event: .increase)
        #expect(seen.elements == [3])
    }
}
