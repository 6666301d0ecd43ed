import Dispatch
import Futures
import Stores
import TestSupport
import Testing

@Suite(.oneAtATime) struct SubscriptionTests {
    let store = Store<[Int], Int>(initialState: [], reduce: { $0 + [$1] })
    let seen = TestLog<String>()

    @Test func itEndsWithItsOwner() {
        var whole: Subscription? = store.subscription { [seen] _, new in seen.append("\(new)") }
        var count: Subscription? = store.subscription(to: \.count) { [seen] old, new in
            seen.append("\(old ?? -1) \(new)")
        }
        var last: Subscription? = store.derived(\.last).subscription { [seen] _, new in
            seen.append("last \(new ?? 0)")
        }
        store.dispatch(event: 7)
        #expect(seen.elements == ["[]", "-1 0", "last 0", "[7]", "0 1", "last 7"])
        withExtendedLifetime((whole, count, last)) {}
        (whole, count, last) = (nil, nil, nil)
        store.dispatch(event: 8)
        #expect(seen.elements.count == 6)
    }

    @Test func itCanBeCancelledBefore() {
        let subscription = store.subscription { [seen] _, new in seen.append("\(new)") }
        subscription.cancel()
        subscription.cancel()
        store.dispatch(event: 7)
        #expect(seen.elements == ["[]"])
    }

    @Test func itDoesNotKeepTheStore() {
        var store: Store<[Int], Int>? = Store(initialState: [], reduce: { $0 + [$1] })
        weak let gone = store
        let whole = store?.subscription { _, _ in }
        let part = store?.derived(\.count).subscription { _, _ in }
        store = nil
        #expect(gone == nil)
        whole?.cancel()
        part?.cancel()
    }

    @Test @MainActor func itEndsOnTheMainActor() async {
        var subscriptions: [Subscription] = [
            store.subscription(on: .shared) { [seen] _, new in seen.append("\(new)") },
            store.derived(\.count).subscription(on: .shared) { [seen] _, new in
                seen.append("\(new)")
            },
        ]
        await mainQueue()
        #expect(seen.elements == ["[]", "0"])
        store.dispatch(event: 7)
        subscriptions = []
        await mainQueue()
        #expect(subscriptions.isEmpty && seen.elements.count == 2)
    }

    /// Returns after everything that is on the main queue now has run.
    private func mainQueue() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }
}
