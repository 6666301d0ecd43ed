// snippet: imports
import Pledge
import PledgeStores
import Testing

// end snippet

/// The code of Docs/Guides/Effects.md.
@Suite struct EffectsExamples {
    // snippet: search
    struct Search: Equatable, Sendable {
        var text = ""
        var books: [String] = []
        var failure: String?
    }

    enum Event: Sendable {
        case typed(String)
        case answered(Result<[String], any Error>)
    }
    // end snippet

    private let log = ExampleLog()
    private let scheduler = ManualScheduler()

    /// What the examples print.
    private var print: @Sendable (String) -> Void { { [log] in log.add($0) } }

    private var find: @Sendable (String) -> Future<[String]> {
        { [log, scheduler] text in
            log.add("asked for \(text)")
            return Future(value: ["\(text) and other stories"]).delay(.seconds(1), on: scheduler)
        }
    }

    @Test func requested() {
        // snippet: request
        let scheduler = ManualScheduler()
        let find = { @Sendable (text: String) -> Future<[String]> in
            print("asked for \(text)")
            return Future(value: ["\(text) and other stories"]).delay(.seconds(1), on: scheduler)
        }
        let store = Store<Search, Event>(
            initialState: Search(),
            reducer: Reducer(effects: { state, event in
                switch event {
                case .typed(let text):
                    state.text = text
                    return .request(find(text)) { .answered($0) }.id("search")
                case .answered(.success(let books)):
                    state.books = books
                    return .none
                case .answered(.failure(let error)):
                    state.failure = "\(error)"
                    return .none
                }
            }))

        store.dispatch(.typed("mo"))
        scheduler.advance(by: .milliseconds(500))
        store.dispatch(.typed("momo"))
        scheduler.run()
        #expect(store.state.books == ["momo and other stories"])
        // end snippet
        #expect(log.lines == ["asked for mo", "asked for momo"])
    }

    @Test func debounced() {
        let (find, scheduler) = (find, scheduler)
        // snippet: debounce
        let store = Store<Search, Event>(
            initialState: Search(),
            reducer: Reducer(effects: { state, event in
                switch event {
                case .typed(let text):
                    state.text = text
                    return .request(find(text)) { .answered($0) }
                        .debounce(id: "search", for: .milliseconds(300), on: scheduler)
                case .answered(let result):
                    state.books = (try? result.get()) ?? []
                    return .none
                }
            }))
        // end snippet
        // snippet: debounced
        for text in ["m", "mo", "mom", "momo"] {
            store.dispatch(.typed(text))
            scheduler.advance(by: .milliseconds(100))
        }
        scheduler.run()  // prints asked for momo
        // end snippet
        #expect(log.lines == ["asked for momo"])
        #expect(store.state.books.count == 1)
    }

    @Test func together() {
        let scheduler = scheduler
        // snippet: together
        let step = { @Sendable (name: String) -> Future<String> in
            print("begin \(name)")
            return Future(value: name).delay(.seconds(1), on: scheduler)
        }
        let store = Store<[String], String>(
            initialState: [],
            reducer: Reducer(effects: { state, event in
                state.append(event)
                guard event == "go" else { return .none }
                return .concatenate(
                    .merge(.future(step("a")), .future(step("b"))),
                    .future(step("c"))
                )
            }))
        store.dispatch("go")
        // end snippet
        #expect(log.lines == ["begin a", "begin b"])
        scheduler.run()
        #expect(store.state == ["go", "a", "b", "c"])
    }

    @Test func released() {
        let (find, scheduler) = (find, scheduler)
        // snippet: released
        var store: Store<[String], String>? = Store(
            initialState: [],
            reducer: Reducer(effects: { state, event in
                state.append(event)
                return .future(find(event).map { $0[0] })
            }))
        store?.dispatch("momo")
        #expect(!scheduler.isIdle)

        store = nil
        #expect(scheduler.isIdle)
        // end snippet
    }

    @Test func fedBack() {
        let find = find
        // snippet: feedback
        let answers = Feedback<Search, Event> {
            $0.text.isEmpty ? nil : $0.text
        } effect: { text in
            .request(find(text)) { .answered($0) }
        }
        let store = Store<Search, Event>(
            initialState: Search(),
            reducer: Reducer { state, event in
                var state = state
                switch event {
                case .typed(let text): state.text = text
                case .answered(let result): state.books = (try? result.get()) ?? []
                }
                return state
            },
            feedback: [answers])

        store.dispatch(.typed("momo"))
        store.dispatch(.typed("momo"))  // asks for nothing: the answer is equal
        store.dispatch(.typed(""))  // The query is gone, and its effect with it.
        scheduler.run()
        #expect(store.state.books.isEmpty)
        // end snippet
        #expect(log.lines == ["asked for momo"])
    }
}
