// snippet: imports
import Observation
import Pledge
import PledgeStores
import Testing

// end snippet

#if canImport(SwiftUI)
// snippet: swiftui-import
import SwiftUI
// end snippet
#endif

/// The code of Docs/Guides/State.md.
@Suite struct StateExamples {
    private let log = ExampleLog()

    /// What the examples print.
    private var print: @Sendable (String) -> Void { { [log] in log.add($0) } }

    // snippet: reducible
    struct Counter: Reducible, Equatable {
        var count = 0
        var name = "tea"

        enum Event {
            case increase, decrease
            case rename(String)
        }

        static func reduce(_ state: Counter, event: Event) -> Counter {
            var state = state
            switch event {
            case .increase: state.count += 1
            case .decrease: state.count -= 1
            case .rename(let name): state.name = name
            }
            return state
        }
    }
    // end snippet

    @Test func stored() {
        // snippet: store
        let store = Store(initialState: Counter(), reducer: Reducer())

        let token = store.subscribe { old, new in
            print("\(old.map { "\($0.count)" } ?? "-") → \(new.count)")
        }
        store.dispatch(.increase)
        store.dispatch(.increase)
        token.cancel()
        store.dispatch(.decrease)

        // prints - → 0, 0 → 1, 1 → 2
        #expect(store.state.count == 1)
        // end snippet
        #expect(log.lines == ["- → 0", "0 → 1", "1 → 2"])
    }

    @Test func nested() {
        // snippet: nested
        let store = Store(
            initialState: 0, reducer: Reducer { (state: Int, event: Int) in state + event })
        store.subscribe { [unowned store] old, new in
            print("a \(old ?? -1)→\(new)")
            if new == 1 { store.dispatch(1) }
        }
        store.subscribe { old, new in print("b \(old ?? -1)→\(new)") }

        store.dispatch(1)
        // prints a -1→0, b -1→0, a 0→1, b 0→1, a 1→2, b 1→2
        // end snippet
        #expect(log.lines == ["a -1→0", "b -1→0", "a 0→1", "b 0→1", "a 1→2", "b 1→2"])
    }

    @Test func shapes() {
        // snippet: shapes
        let classic = Reducer<Int, Int> { state, event in state + event }
        let curried = Reducer<Int, Int> { state in { event in state + event } }
        let inPlace = Reducer<Int, Int> { state, event in state += event }

        for reducer in [classic, curried, inPlace] {
            var state = 1
            reducer.reduce(&state, 2)
            #expect(state == 3)
            #expect(reducer.reduce(1, 2) == 3)
            #expect(reducer.reduce(1)(2) == 3)
        }
        // end snippet
    }

    @Test func composed() {
        // snippet: composed
        struct Screen: Equatable, Sendable {
            var count = 0
            var names: [String] = []
        }

        let count = Reducer<Int, Counter.Event> { state, event in
            if case .increase = event { state += 1 }
        }
        let names = Reducer<[String], Counter.Event> { state, event in
            if case .rename(let name) = event { state.append(name) }
        }
        let screen = Reducer<Screen, Counter.Event>.combine(
            parts: (\.count, count), (\.names, names)
        )
        // end snippet
        // snippet: debug
        let store = Store(
            initialState: Screen(), reducer: screen.debug("screen") { print($0) })
        store.dispatch(.rename("Momo"))
        // prints screen: rename("Momo")
        //       - names: []
        //       + names[0]: "Momo"
        // end snippet
        #expect(log.lines == ["screen: rename(\"Momo\")\n  - names: []\n  + names[0]: \"Momo\""])
        #expect(store.state.names == ["Momo"])
    }

    @Test func difference() {
        // snippet: diff
        struct Book: Identifiable {
            let id: Int
            var title: String
        }
        let old = [Book(id: 1, title: "Momo"), Book(id: 2, title: "Emil")]
        var new = old
        new.insert(Book(id: 3, title: "Faust"), at: 0)
        new[2].title = "Ronja"

        #expect(
            StateDiff(from: old, to: new).lines == [
                "+ [id: 3].id: 3", "+ [id: 3].title: \"Faust\"",
                "- [id: 2].title: \"Emil\"", "+ [id: 2].title: \"Ronja\"",
            ])
        // end snippet
    }

    @Test func parts() {
        // snippet: part
        let store = Store(initialState: Counter(), reducer: Reducer())
        store.derived(\.name).subscribe { _, name in print(name) }

        store.dispatch(.increase)
        store.dispatch(.rename("coffee"))
        // prints tea, coffee
        // end snippet
        #expect(log.lines == ["tea", "coffee"])
    }

    @Test func derived() {
        // snippet: derived
        let store = Store(initialState: Counter(), reducer: Reducer())
        let name = store.derived(\.name, event: Counter.Event.rename)
        name.subscribe { old, new in print("\(old ?? "-") → \(new)") }

        store.dispatch(.increase)
        name.dispatch("coffee")
        // prints - → tea, tea → coffee
        #expect(store.state.name == "coffee")
        // end snippet
        #expect(log.lines == ["- → tea", "tea → coffee"])
    }

    // snippet: subscription
    final class Title {
        private let subscription: ScopedObserver

        init(_ store: Store<Counter, Counter.Event>, show: @escaping @Sendable (String) -> Void) {
            subscription = store.derived(\.name).subscribe { _, name in show(name) }.scoped()
        }
    }
    // end snippet

    @Test func owned() {
        // snippet: owner
        let store = Store(initialState: Counter(), reducer: Reducer())
        var title: Title? = Title(store, show: { print($0) })
        store.dispatch(.rename("coffee"))
        #expect(title != nil)
        title = nil
        store.dispatch(.rename("cocoa"))
        // prints tea, coffee
        // end snippet
        #expect(log.lines == ["tea", "coffee"])
    }

    @Test func awaited() async {
        // snippet: states
        var store: Store? = Store(initialState: Counter(), reducer: Reducer())
        let states = store!.states
        store?.dispatch(.increase)
        store = nil

        for await state in states { print("\(state.count)") }
        // prints 1
        // end snippet
        #expect(log.lines == ["1"])
    }

    @Test @MainActor func observed() {
        // snippet: observed
        let store = Store(initialState: Counter(), reducer: Reducer())
        let view = ObservedStore(store)
        withObservationTracking {
            print("drawn with \(view.count)")
        } onChange: {
            print("to be redrawn")
        }
        view.dispatch(.increase)
        // prints drawn with 0, to be redrawn
        #expect(view.count == 1)
        // end snippet
        #expect(log.lines == ["drawn with 0", "to be redrawn"])
    }

    #if canImport(SwiftUI)
    // snippet: swiftui
    struct CounterView: View {
        @State var counter: ObservedStore<Counter, Counter.Event>

        var body: some View {
            VStack {
                TextField("Name", text: counter.binding(\.name, Counter.Event.rename))
                Button("\(counter.count)") { counter.dispatch(.increase) }
            }
        }
    }
    // end snippet
    #endif

    @Test func middle() {
        // snippet: middleware
        let logging = StoreMiddleware<Int, String> { context in
            { next in
                { event in
                    next(event)
                    print("\(event) made \(context.state)")
                }
            }
        }
        let store = Store(
            initialState: 0, reducer: Reducer { $0 + $1.count }, middleware: [logging])
        store.dispatch("three")
        // prints three made 5
        // end snippet
        #expect(log.lines == ["three made 5"])
    }
}
