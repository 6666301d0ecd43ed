import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite struct FeedbackTests {
    struct Search: Equatable, Sendable {
        var wanted: String?
        var books: [String] = []
        var rooms: Set<String> = []
        var ticks = 0
    }

    enum Event: Sendable {
        case want(String?)
        case found(String)
        case rooms(Set<String>)
        case tick
    }

    let started = TestLog<String>()
    let cancelled = TestLog<String>()
    let promises = Locked<[String: Promise<Event>]>([:])

    func pending(_ name: String) -> Effect<Event> {
        .future { [started, cancelled, promises] in
            started.append(name)
            let promise = Promise<Event>()
            promise.onCancel { cancelled.append(name) }
            promises.withLock { $0[name] = promise }
            return promise
        }
    }

    func store(_ initial: Search = Search()) -> Store<Search, Event> {
        Store(
            initialState: initial,
            reducer: Reducer { state, event in
                var state = state
                switch event {
                case .want(let text): state.wanted = text
                case .found(let book):
                    state.books.append(book)
                    state.wanted = nil
                case .rooms(let rooms): state.rooms = rooms
                case .tick: state.ticks += 1
                }
                return state
            },
            feedback: [
                Feedback {
                    $0.wanted
                } effect: { [self] in
                    pending($0)
                },
                Feedback(each: { $0.rooms }, effect: { [self] in pending("room \($0)") }),
            ])
    }

    @Test func aFeedbacksEffectLivesWhileItsQueryStaysEqual() {
        let store = store()
        store.dispatch(.want("a"))
        store.dispatch(.tick)
        store.dispatch(.want("a"))
        #expect(started.elements == ["a"])
        store.dispatch(.want("b"))
        #expect(started.elements == ["a", "b"])
        #expect(cancelled.elements == ["a"])
        store.dispatch(.want(nil))
        #expect(cancelled.elements == ["a", "b"])
        promises.withLock { $0["b"] }?.resolve(with: .found("late"))
        #expect(store.state.books.isEmpty)
    }

    @Test func aFeedbackQueriesTheInitialStateAndItsAnswerIsDispatched() {
        let store = store(Search(wanted: "a"))
        #expect(started.elements == ["a"])
        promises.withLock { $0["a"] }?.resolve(with: .found("Momo"))
        #expect(store.state == Search(books: ["Momo"]))
        store.dispatch(.want("a"))
        #expect(started.elements == ["a", "a"])
        #expect(cancelled.elements.isEmpty)
    }

    @Test func eachOfAFeedbacksQueriesHasItsEffect() {
        let store = store()
        store.dispatch(.rooms(["x"]))
        store.dispatch(.rooms(["x", "y"]))
        #expect(started.elements == ["room x", "room y"])
        store.dispatch(.rooms(["y"]))
        #expect(cancelled.elements == ["room x"])
        #expect(started.elements == ["room x", "room y"])
        store.dispatch(.rooms([]))
        #expect(cancelled.elements == ["room x", "room y"])
    }

    @Test func twoFeedbacksWithEqualQueriesDoNotDisturbEachOther() {
        let store = store()
        store.dispatch(.want("x"))
        store.dispatch(.rooms(["x", "y"]))
        store.dispatch(.rooms(["x"]))
        #expect(started.elements.sorted() == ["room x", "room y", "x"])
        #expect(cancelled.elements == ["room y"])
    }

    @Test func feedbacksAreCancelledWhenTheirStoreIsReleased() {
        var store: Store<Search, Event>? = store(Search(wanted: "a"))
        weak let gone = store
        store = nil
        #expect(gone == nil)
        #expect(cancelled.elements == ["a"])
    }
}
