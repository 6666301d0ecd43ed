import Dispatch
import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite(.oneAtATime) struct SubscriptionTests {
    let store = Store<[Int], Int>(initialState: [], reducer: Reducer { $0 + [$1] })
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

    @Test func keptItLivesAsLongAsTheStore() {
        var store: Store<[Int], Int>? = Store(initialState: [], reducer: Reducer { $0 + [$1] })
        let ends = TestLog<String>()
        do {
            let (whole, part) = (
                OnDeinit { ends.append("whole") }, OnDeinit { ends.append("part") }
            )
            store?.subscription { [seen] _, new in
                whole.use()
                seen.append("\(new)")
            }.kept()
            store?.derived(\.count).subscription { [seen] _, new in
                part.use()
                seen.append("\(new)")
            }.kept()
        }
        store?.subscription(to: \.last) { [seen] _, new in seen.append("last \(new ?? 0)") }.kept()
        store?.dispatch(event: 7)
        #expect(seen.elements == ["[]", "0", "last 0", "[7]", "1", "last 7"])
        #expect(ends.elements.isEmpty)
        store = nil
        #expect(ends.elements.sorted() == ["part", "whole"])
    }

    @Test func keptItCanStillBeCancelled() {
        let subscription = store.subscription { [seen] _, new in seen.append("\(new)") }
        subscription.kept()
        subscription.cancel()
        store.dispatch(event: 7)
        #expect(seen.elements == ["[]"])
    }

    @Test func itDoesNotKeepTheStore() {
        var store: Store<[Int], Int>? = Store(initialState: [], reducer: Reducer { $0 + [$1] })
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

    @Test @MainActor func keptItGoesOnOnTheMainActor() async {
        store.subscription(on: .shared) { [seen] _, new in seen.append("\(new)") }.kept()
        store.dispatch(event: 7)
        await mainQueue()
        #expect(seen.elements == ["[]", "[7]"])
    }

    /// Returns after everything that is on the main queue now has run.
    private func mainQueue() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.main.async { continuation.resume() }
        }
    }
}
