import Futures
import Observation
import Pledge
import Testing

#if canImport(SwiftUI)
import SwiftUI
#endif

/// The code of Docs/Guides/State.md.
@Suite struct StateExamples {
    let log = ExampleLog()

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
        let store = Store(initialState: Counter())

        let id = store.subscribe { [log] old, new in
            log.add("\(old?.count, default: "-") → \(new.count)")
        }
        store.dispatch(event: .increase)
        store.dispatch(event: .increase)
        store.unsubscribe(id)
        store.dispatch(event: .decrease)

        #expect(log.lines == ["- → 0", "0 → 1", "1 → 2"])
        #expect(store.state.count == 1)
        // end snippet
    }

    @Test func nested() {
        // snippet: nested
        let store = Store(initialState: 0, reduce: { (state: Int, event: Int) in state + event })
        store.subscribe { [log, unowned store] old, new in
            log.add("a \(old ?? -1)→\(new)")
            if new == 1 { store.dispatch(event: 1) }
        }
        store.subscribe { [log] old, new in log.add("b \(old ?? -1)→\(new)") }

        store.dispatch(event: 1)
        #expect(log.lines == ["a -1→0", "b -1→0", "a 0→1", "b 0→1", "a 1→2", "b 1→2"])
        // end snippet
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

    // snippet: composed
    struct Screen: Equatable, Sendable {
        var count = 0
        var names: [String] = []
    }

    static let count = Reducer<Int, Counter.Event> { state, event in
        if case .increase = event { state += 1 }
    }
    static let names = Reducer<[String], Counter.Event> { state, event in
        if case .rename(let name) = event { state.append(name) }
    }
    static let screen = Reducer<Screen, Counter.Event>.combine(
        parts: (\.count, count), (\.names, names)
    )
    // end snippet

    @Test func composed() {
        // snippet: debug
        let store = Store(
            initialState: Screen(), reducer: Self.screen.debug("screen") { [log] in log.add($0) })
        store.dispatch(event: .rename("Momo"))
        #expect(log.lines == ["screen: rename(\"Momo\")\n  - names: []\n  + names[0]: \"Momo\""])
        // end snippet
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
        let store = Store(initialState: Counter())
        store.subscribe(to: \.name) { [log] _, name in log.add(name) }

        store.dispatch(event: .increase)
        store.dispatch(event: .rename("coffee"))
        #expect(log.lines == ["tea", "coffee"])
        // end snippet
    }

    @Test func derived() {
        let store = Store(initialState: Counter())
        // snippet: derived
        let name = store.derived(\.name, event: Counter.Event.rename)
        name.subscribe { [log] old, new in log.add("\(old ?? "-") → \(new)") }

        store.dispatch(event: .increase)
        name.dispatch(event: "coffee")
        #expect(log.lines == ["- → tea", "tea → coffee"])
        #expect(store.state.name == "coffee")
        // end snippet
    }

    // snippet: subscription
    final class Title {
        private let subscription: Subscription

        init(_ store: Store<Counter, Counter.Event>, log: ExampleLog) {
            subscription = store.subscription(to: \.name) { _, name in log.add(name) }
        }
    }
    // end snippet

    @Test func owned() {
        let store = Store(initialState: Counter())
        // snippet: owner
        var title: Title? = Title(store, log: log)
        store.dispatch(event: .rename("coffee"))
        #expect(title != nil)
        title = nil
        store.dispatch(event: .rename("cocoa"))
        #expect(log.lines == ["tea", "coffee"])
        // end snippet
    }

    @Test func awaited() async {
        // snippet: states
        var store: Store? = Store(initialState: Counter())
        let states = store!.states
        store?.dispatch(event: .increase)
        store = nil

        for await state in states { log.add("\(state.count)") }
        #expect(log.lines == ["1"])
        // end snippet
    }

    @Test @MainActor func observed() {
        let store = Store(initialState: Counter())
        // snippet: observed
        let view = ObservedStore(store)
        withObservationTracking {
            log.add("drawn with \(view.count)")
        } onChange: { [log] in
            log.add("to be redrawn")
        }
        view.dispatch(event: .increase)
        #expect(log.lines == ["drawn with 0", "to be redrawn"])
        #expect(view.count == 1)
        // end snippet
    }

    #if canImport(SwiftUI)
    // snippet: swiftui
    struct CounterView: View {
        @State var counter: ObservedStore<Counter, Counter.Event>

        var body: some View {
            VStack {
                TextField("Name", text: counter.binding(\.name, Counter.Event.rename))
                Button("\(counter.count)") { counter.dispatch(event: .increase) }
            }
        }
    }
    // end snippet
    #endif

    @Test func middle() {
        // snippet: middleware
        let logging = DispatchMiddleware<Int, String> { [log] context in
            { next in
                { event in
                    next(event)
                    log.add("\(event) made \(context.state)")
                }
            }
        }
        let store = Store(
            initialState: 0, reduce: { $0 + $1.count }, middleware: [logging])
        store.dispatch(event: "three")
        #expect(log.lines == ["three made 5"])
        // end snippet
    }
}
