import PledgeFutures
import PledgeStores
import TestSupport
import Testing

@Suite(.oneAtATime) struct ReducerPartsTests {
    struct Row: Equatable, Identifiable, Sendable {
        let id: Int
        var text = ""

        enum Event: Equatable, Sendable { case load, loaded(String), stop }
    }

    struct Screen: Equatable, Sendable {
        var row = Row(id: 0)
        var other: Row?
        var rows = [Row(id: 1), Row(id: 2)]
        var named: [String: Row] = ["a": Row(id: 3)]
        var events = 0
    }

    enum Event: Equatable, Sendable {
        case row(Row.Event)
        case rows(Int, Row.Event)
        case named(String, Row.Event)
        case remove(Int)
    }

    let promises = Locked<[Int: Promise<Row.Event>]>([:])
    let cancelled = TestLog<Int>()

    var row: Reducer<Row, Row.Event> {
        Reducer(effects: { [promises, cancelled] row, event in
            switch event {
            case .load:
                let id = row.id
                return .future {
                    let promise = Promise<Row.Event>()
                    promise.onCancel { cancelled.append(id) }
                    promises.withLock { $0[id] = promise }
                    return promise
                }.id("load")
            case .loaded(let text):
                row.text = text
                return .none
            case .stop: return .cancel(id: "load")
            }
        })
    }

    var screen: Reducer<Screen, Event> {
        .combine(
            Reducer { (screen: inout Screen, _: Event) in screen.events += 1 },
            row.scope(\.row) {
                if case .row(let event) = $0 { event } else { nil }
            } embed: {
                .row($0)
            },
            row.forEach(\.rows) {
                if case .rows(let id, let event) = $0 { (id, event) } else { nil }
            } embed: {
                .rows($0, $1)
            },
            row.forEach(\.named) {
                if case .named(let key, let event) = $0 { (key, event) } else { nil }
            } embed: {
                .named($0, $1)
            },
            Reducer(effects: { screen, event in
                guard case .remove(let id) = event else { return .none }
                screen.rows.removeAll { $0.id == id }
                return .cancel(id: "load", of: id, in: \Screen.rows)
            }))
    }

    func settle(_ id: Int) { promises.withLock { $0[id] }?.resolve(with: .loaded("\(id)")) }

    @Test func effectsOfAPartDispatchTheEventsOfTheWhole() {
        let store = Store(initialState: Screen(), reducer: screen)
        store.dispatch(event: .row(.load))
        settle(0)
        #expect(store.state.row.text == "0")
        #expect(store.state.events == 2)
    }

    @Test func elementsHaveIdsOfTheirOwn() {
        let store = Store(initialState: Screen(), reducer: screen)
        for id in 1...2 { store.dispatch(event: .rows(id, .load)) }
        store.dispatch(event: .named("a", .load))
        store.dispatch(event: .row(.load))
        #expect(cancelled.elements.isEmpty)
        store.dispatch(event: .rows(1, .load))
        #expect(cancelled.elements == [1])
        store.dispatch(event: .rows(2, .stop))
        #expect(cancelled.elements == [1, 2])
        for id in 0...3 { settle(id) }
        #expect(store.state.rows.map(\.text) == ["1", ""])
        #expect(store.state.named["a"]?.text == "3")
    }

    @Test func anElementThatGoesHasItsEffectCancelledByItsWhole() {
        let store = Store(initialState: Screen(), reducer: screen)
        for id in 1...2 { store.dispatch(event: .rows(id, .load)) }
        store.dispatch(event: .remove(1))
        #expect(cancelled.elements == [1])
        store.dispatch(event: .rows(1, .load))
        #expect(store.effectsUnderWay == 1)
        #expect(store.state.rows == [Row(id: 2)])
    }

    @Test func theIdsOfAnElementNameIt() {
        let scheduler = ManualScheduler()
        let store = Store(initialState: Screen(), reducer: screen)
        store.dispatch(event: .rows(1, .load))
        let done = store.finish(within: .seconds(1), on: scheduler)
        scheduler.run()
        let error = #expect(throws: EffectsUnfinished.self) { try done.result?.get() }
        #expect(error?.effects == ["\"load\" of 1"])
    }

    @Test func aStateThatIsMissingHasNoEffects() {
        let reducer = row.optional.scope(\Screen.other)
        var screen = Screen()
        let store = Store(initialState: screen, reducer: reducer)
        store.dispatch(event: .load)
        #expect(store.effectsUnderWay == 0)
        screen.other = Row(id: 9)
        let another = Store(initialState: screen, reducer: reducer)
        another.dispatch(event: .load)
        settle(9)
        #expect(another.state.other?.text == "9")
    }

    @Test func theDebuggedReducerHasTheSameEffects() {
        let store = Store(initialState: Row(id: 9), reducer: row.debug { _ in })
        store.dispatch(event: .load)
        settle(9)
        #expect(store.state.text == "9")
    }

    /// The events of its effects would be lost.
    @Test func aPartWithEffectsNeedsAWayBackToTheEventsOfTheWhole() async throws {
        let scoped = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Self.asking.scope(\Screen.row, event: { (event: Row.Event?) in event })
        }
        let element = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Self.asking.forEach(\Screen.rows, event: { (event: Row.Event) in (1, event) })
        }
        let value = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            _ = Self.asking.forEach(\Screen.named, event: { (event: Row.Event) in ("a", event) })
        }
        for result in [scoped, element, value] {
            let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(text.contains("a reducer of Row has effects"))
            #expect(text.contains("Pass embed: to scope or forEach."))
        }
    }

    static let asking = Reducer<Row, Row.Event>(effects: { _, _ in .future(Future(value: .stop)) })

    @Test func partsOfAStateArePutTogether() {
        struct Pair: Equatable { var left = Row(id: 1), right = Row(id: 2) }
        let both = Reducer<Pair, Row.Event>.combine(parts: (\.left, row), (\.right, row))
        var pair = Pair()
        _ = both.reduce(&pair, .loaded("x"))
        #expect(pair == Pair(left: Row(id: 1, text: "x"), right: Row(id: 2, text: "x")))
        let store = Store(initialState: Pair(), reducer: both)
        store.dispatch(event: .load)
        // Both use the id "load" in the same store: the last one replaces the other.
        #expect(store.effectsUnderWay == 1)
        var same = Pair()
        _ = Reducer<Pair, Row.Event>.combine()(&same, .load)
        #expect(same == Pair())
    }
}
