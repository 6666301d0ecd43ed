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

    @Test(arguments: shapes.indices) func everyShapeIsCallableInEveryShape(index: Int) {
        let reducer = Self.shapes[index]
        var state = 1
        reducer.reduce(&state, 2)
        #expect(state == 12)
        reducer(&state, 3)
        #expect(state == 123)
        let returned: Int = reducer.reduce(1, 2)
        #expect(returned == 12)
        #expect(reducer(1, 2) == 12)
        let next = reducer.reduce(1)
        let both: [Int] = [next(2), next(3)]
        #expect(both == [12, 13])
        #expect(reducer(1)(2) == 12)
    }

    @Test func onlyCallingItInPlaceReturnsTheEffect() {
        let asking = Reducer<Int, Int>(effects: { state, event in
            state += event
            return event == 1 ? .future(Future(value: 5)) : .none
        })
        #expect(asking.reduce(0, 1) == 1)
        #expect(asking.reduce(0)(1) == 1)
        for reducer in [
            Reducer(effects: { state, event in asking.reduce(&state, event) }),
            Reducer(effects: { state, event in asking(&state, event) }),
        ] {
            let store = Store(initialState: 0, reducer: reducer)
            store.dispatch(event: 1)
            #expect(store.state == 6)
        }
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

    @Test func combiningCallsOneAfterAnother() {
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

    @Test func partsOfDifferentTypesArePutTogether() {
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

    @Test func anOptionalStateIsLeftAloneWhileItIsMissing() {
        let reducer: Reducer<Screen, Int> = add.optional.scope(\.maybe)
        #expect(reducer.reduce(Screen(), 2) == Screen())
        #expect(reducer.reduce(Screen(maybe: 1), 2) == Screen(maybe: 3))
    }

    @Test func eachElementHasEventsOfItsOwn() {
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

    @Test func theDebuggedReducerSaysWhatChanged() {
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
