import Foundation
import PledgeFutures
import TestSupport
import Testing

@testable import PledgeStores

@Suite struct ReducerTests {
    static let shapes: [Reducer<Int, Int>] = [
        Reducer { state, event in state * 10 + event },
        Reducer { state in
            { event in
                let tens = state * 10
                return tens + event
            }
        },
        Reducer { state, event in
            state *= 10
            state += event
        },
        Reducer(effects: { state, event in
            state = state * 10 + event
            return .none
        }),
    ]

    @Test(arguments: shapes.indices) func aReducerOfEveryShapeIsCallableInEveryShape(index: Int) {
        let reducer = Self.shapes[index]
        var state = 1
        reducer.reduce(&state, 2)
        #expect(state == 12)
        reducer.reduce(&state, 3)
        #expect(state == 123)
        let returned: Int = reducer.reduce(1, 2)
        #expect(returned == 12)
        let next = reducer.reduce(1)
        let both: [Int] = [next(2), next(3)]
        #expect(both == [12, 13])
    }

    @Test func onlyCallingAReducerInPlaceReturnsItsEffect() {
        let asking = Reducer<Int, Int>(effects: { state, event in
            state += event
            return event == 1 ? .future(Future(value: 5)) : .none
        })
        #expect(asking.reduce(0, 1) == 1)
        #expect(asking.reduce(0)(1) == 1)
        let store = Store(
            initialState: 0,
            reducer: Reducer(effects: { state, event in asking.reduce(&state, event) }))
        store.dispatch(1)
        #expect(store.state == 6)
    }

    @Test func onlyTheLabelMakesAReducerWithEffects() {
        #expect(Self.shapes.map(\.mayHaveEffects) == [false, false, false, true])
        let (plain, asking) = (Self.shapes[0], Self.shapes[3])
        #expect(!Reducer.combine(plain, plain).mayHaveEffects)
        #expect(Reducer.combine(plain, asking).mayHaveEffects)
        #expect(
            !Reducer<Screen, Int>.combine(parts: (\.count, plain), (\.other, plain)).mayHaveEffects)
        #expect(
            Reducer<Screen, Int>.combine(parts: (\.count, plain), (\.other, asking)).mayHaveEffects)
        for (reducer, expected) in [(plain, false), (asking, true)] {
            #expect(reducer.scope(\Screen.count).mayHaveEffects == expected)
            #expect(reducer.optional.mayHaveEffects == expected)
            #expect(reducer.debug().mayHaveEffects == expected)
        }
        #expect(!Reducer<Own, Int>().mayHaveEffects)
    }

    @Test func combinedReducersAreCalledOneAfterAnother() {
        let add = Reducer<Int, Int> { state, event in state += event }
        let double = Reducer<Int, Int> { state, _ in state *= 2 }
        #expect(Reducer.combine(add, double).reduce(1, 2) == 6)
        #expect(Reducer.combine(double, add).reduce(1, 2) == 4)
        #expect(Reducer<Int, Int>.combine().reduce(1, 2) == 1)
    }

    struct Screen: Equatable, Sendable {
        var count = 0
        var names: [String] = []
        var other = 9
        var maybe: Int?
        var rows: [Row] = []
        var byName: [String: Int] = [:]

        struct Row: Identifiable, Equatable, Sendable {
            let id: Int
            var text = ""
        }
    }

    let add = Reducer<Int, Int> { state, event in state += event }

    @Test func reducersOfPartsOfDifferentTypesAreCombined() {
        let names = Reducer<[String], Int> { state, event in state.append("\(event)") }
        let reducer = Reducer<Screen, Int>.combine(parts: (\.count, add), (\.names, names))
        var screen = Screen()
        reducer.reduce(&screen, 3)
        reducer.reduce(&screen, 4)
        #expect(screen == Screen(count: 7, names: ["3", "4"]))
    }

    @Test func aScopedReducerChangesItsPartAlone() {
        let whole: Reducer<Screen, Int> = add.scope(\.count)
        #expect(whole.reduce(Screen(), 2) == Screen(count: 2))
        let chosen: Reducer<Screen, String> = add.scope(\.count, event: { Int($0) })
        #expect(chosen.reduce(Screen(), "5") == Screen(count: 5))
        #expect(chosen.reduce(Screen(), "five") == Screen())
    }

    @Test func anOptionalReducerDoesNothingWhileItsStateIsMissing() {
        let reducer: Reducer<Screen, Int> = add.optional.scope(\.maybe)
        #expect(reducer.reduce(Screen(), 2) == Screen())
        #expect(reducer.reduce(Screen(maybe: 1), 2) == Screen(maybe: 3))
    }

    @Test func aReducerForEachElementChangesOnlyTheElementsOfTheEventsId() {
        let row = Reducer<Screen.Row, String> { state, event in state.text += event }
        let rows: Reducer<Screen, (Int, String)?> = row.forEach(\.rows) { $0 }
        var screen = Screen(rows: [.init(id: 1), .init(id: 2), .init(id: 2)])
        rows.reduce(&screen, (2, "x"))
        rows.reduce(&screen, (7, "y"))
        rows.reduce(&screen, nil)
        #expect(screen.rows.map(\.text) == ["", "x", ""])
        let values: Reducer<Screen, (String, Int)> = add.forEach(\.byName) { $0 }
        screen.byName = ["a": 1]
        values.reduce(&screen, ("a", 4))
        values.reduce(&screen, ("b", 4))
        #expect(screen.byName == ["a": 5])
    }

    @Test func aDebuggedReducerSaysWhatChanged() {
        let lines = TestLog<String>()
        let reducer = Reducer<Screen, Int> { state, event in if event > 0 { state.count += event } }
        let debugged = reducer.debug("screen") { lines.append($0) }
        #expect(debugged.reduce(Screen(), 2) == Screen(count: 2))
        #expect(debugged.reduce(Screen(), 0) == Screen())
        #expect(
            lines.elements == ["screen: 2\n  - count: 0\n  + count: 2", "screen: 0\n  no change"])
    }

    struct Own: Reducible, Equatable {
        var count = 0

        static func reduce(_ state: Own, event: Int) -> Own { Own(count: state.count + event) }
    }

    @Test func aReducibleStateHasItsReducer() {
        #expect(Reducer<Own, Int>().reduce(Own(), 4) == Own(count: 4))
    }
}

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

    @Test func effectsOfAScopedReducerDispatchTheEventsOfTheWhole() {
        let store = Store(initialState: Screen(), reducer: screen)
        store.dispatch(.row(.load))
        settle(0)
        #expect(store.state.row.text == "0")
        #expect(store.state.events == 2)
    }

    @Test func effectsOfDifferentElementsHaveIdsOfTheirOwn() {
        let store = Store(initialState: Screen(), reducer: screen)
        for id in 1...2 { store.dispatch(.rows(id, .load)) }
        store.dispatch(.named("a", .load))
        store.dispatch(.row(.load))
        #expect(cancelled.elements.isEmpty)
        store.dispatch(.rows(1, .load))
        #expect(cancelled.elements == [1])
        store.dispatch(.rows(2, .stop))
        #expect(cancelled.elements == [1, 2])
        for id in 0...3 { settle(id) }
        #expect(store.state.rows.map(\.text) == ["1", ""])
        #expect(store.state.named["a"]?.text == "3")
    }

    @Test func theEffectOfARemovedElementIsCancelledByTheReducerOfTheWhole() {
        let store = Store(initialState: Screen(), reducer: screen)
        for id in 1...2 { store.dispatch(.rows(id, .load)) }
        store.dispatch(.remove(1))
        #expect(cancelled.elements == [1])
        store.dispatch(.rows(1, .load))
        #expect(store.effectsUnderWay == 1)
        #expect(store.state.rows == [Row(id: 2)])
    }

    @Test func theIdOfAnElementsEffectNamesTheElement() {
        let scheduler = ManualScheduler()
        let store = Store(initialState: Screen(), reducer: screen)
        store.dispatch(.rows(1, .load))
        let done = store.finish(within: .seconds(1), on: scheduler)
        scheduler.run()
        let error = #expect(throws: EffectsUnfinished.self) { try done.result?.get() }
        #expect(error?.effects == ["\"load\" of 1"])
    }

    @Test func anOptionalReducerHasNoEffectsWhileItsStateIsMissing() {
        let reducer = row.optional.scope(\Screen.other)
        var screen = Screen()
        let store = Store(initialState: screen, reducer: reducer)
        store.dispatch(.load)
        #expect(store.effectsUnderWay == 0)
        screen.other = Row(id: 9)
        let another = Store(initialState: screen, reducer: reducer)
        another.dispatch(.load)
        settle(9)
        #expect(another.state.other?.text == "9")
    }

    @Test func aDebuggedReducerHasTheSameEffects() {
        let store = Store(initialState: Row(id: 9), reducer: row.debug { _ in })
        store.dispatch(.load)
        settle(9)
        #expect(store.state.text == "9")
    }

    /// The events of its effects would be lost.
    @Test func scopingAReducerWithEffectsNeedsAWayBackToTheEventsOfTheWhole() async throws {
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

    @Test func reducersWithEffectsOfTheSameTypeAreCombined() {
        struct Pair: Equatable { var left = Row(id: 1), right = Row(id: 2) }
        let both = Reducer<Pair, Row.Event>.combine(parts: (\.left, row), (\.right, row))
        var pair = Pair()
        _ = both.reduce(&pair, .loaded("x"))
        #expect(pair == Pair(left: Row(id: 1, text: "x"), right: Row(id: 2, text: "x")))
        let store = Store(initialState: Pair(), reducer: both)
        store.dispatch(.load)
        // Both use the id "load" in the same store: the last one replaces the other.
        #expect(store.effectsUnderWay == 1)
        var same = Pair()
        _ = Reducer<Pair, Row.Event>.combine().reduce(&same, .load)
        #expect(same == Pair())
    }
}

/// A forbidden action of a reducer stops the program, and does not block it.
@Suite(.oneAtATime) struct ImpureReducerTests {
    typealias Report = ExitTest.Result

    private func text(of result: Report?) throws -> String {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    }

    @Test func failingAnEffectsFutureInAReducerTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            exitIfHung(0)
            let promise = Promise<Int>()
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: Reducer(effects: { _, event in
                    if event == 1 { return .future(promise) }
                    promise.reject(with: CancellationError())
                    return .none
                }))
            for event in [1, 2] { store.dispatch(event) }
        }
        #expect(try text(of: result).contains("tried to settle an effect's future"))
    }

    @Test func settlingAnEffectsFutureBehindMiddlewareTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            exitIfHung(0)
            let promise = Promise<Int>()
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: Reducer(effects: { _, event in
                    if event == 1 { return .future(promise) }
                    promise.resolve(with: 3)
                    return .none
                }), middleware: [StoreMiddleware { _ in { $0 } }])
            for event in [1, 2] { store.dispatch(event) }
        }
        #expect(try text(of: result).contains("tried to settle an effect's future"))
    }

    @Test func movingTheClockInAReducerTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            exitIfHung(0)
            let scheduler = ManualScheduler()
            let store = Store<Int, Int>(
                initialState: 0,
                reducer: Reducer(effects: { _, event in
                    if event == 2 { scheduler.run() }
                    return Effect.future(Future(value: 3))
                        .debounce(id: 1, for: .seconds(1), on: scheduler)
                }))
            for event in [1, 2] { store.dispatch(event) }
        }
        #expect(try text(of: result).contains("tried to move an effect's clock"))
    }

    @Test func freeingAQuerysValueThatUsesTheStoreTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            exitIfHung(0)
            let held = Locked<Store<Int, Int>?>(nil)
            let feedback = Feedback<Int, Int> { state in
                QueryOfOneState(state, OnDeinit { _ = held.withLock { $0 }?.state })
            } effect: { _ in
                .none
            }
            let store = Store<Int, Int>(
                initialState: 0, reducer: Reducer { $0 + $1 }, feedback: [feedback])
            held.withLock { $0 = store }
            store.dispatch(1)
        }
        #expect(try text(of: result).contains("tried to read the state"))
    }

    @Test func usingTheStoreInTheFirstQueryTraps() async throws {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) {
            exitIfHung(0)
            let held = Locked<DispatchContext<Int, Int>?>(nil)
            let middleware = StoreMiddleware<Int, Int> { context in
                held.withLock { $0 = context }
                return { $0 }
            }
            let feedback = Feedback<Int, Int>(
                { _ in held.withLock { $0 }?.state }, effect: { _ in .none })
            _ = Store(
                initialState: 0, reducer: Reducer { $0 + $1 }, middleware: [middleware],
                feedback: [feedback])
        }
        #expect(try text(of: result).contains("tried to read the state"))
    }
}

/// A query of a state, which calls a closure when it is freed.
private struct QueryOfOneState: Equatable, Sendable {
    let state: Int
    let end: OnDeinit

    init(_ state: Int, _ end: OnDeinit) { (self.state, self.end) = (state, end) }

    static func == (left: Self, right: Self) -> Bool { left.state == right.state }
}
