import Futures
import Pledge
import Testing

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

    /// A library that answers when the test's clock says so.
    final class Library: Sendable {
        let scheduler = ManualScheduler()
        let asked = ExampleLog()

        @Sendable func find(_ text: String) -> Future<[String]> {
            asked.add(text)
            return Future(value: ["\(text) and other stories"]).delay(.seconds(1), on: scheduler)
        }
    }

    let library = Library()
    var scheduler: ManualScheduler { library.scheduler }

    @Test func requested() {
        let find = library.find
        // snippet: request
        let store = Store<Search, Event>(
            initialState: Search(),
            effects: { state, event in
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
            })

        store.dispatch(event: .typed("mo"))
        scheduler.advance(by: .milliseconds(500))
        store.dispatch(event: .typed("momo"))
        scheduler.run()
        #expect(store.state.books == ["momo and other stories"])
        // end snippet
        #expect(library.asked.lines == ["mo", "momo"])
    }

    @Test func debounced() {
        let (find, scheduler) = (library.find, scheduler)
        let store = Store<Search, Event>(
            initialState: Search(),
            effects: { state, event in
                switch event {
                case .typed(let text):
                    state.text = text
                    // snippet: debounce
                    return .request(find(text)) { .answered($0) }
                        .debounce(id: "search", for: .milliseconds(300), on: scheduler)
                // end snippet
                case .answered(let result):
                    state.books = (try? result.get()) ?? []
                    return .none
                }
            })
        // snippet: debounced
        for text in ["m", "mo", "mom", "momo"] {
            store.dispatch(event: .typed(text))
            scheduler.advance(by: .milliseconds(100))
        }
        scheduler.run()
        #expect(library.asked.lines == ["momo"])
        // end snippet
        #expect(store.state.books.count == 1)
    }

    @Test func together() {
        let log = ExampleLog()
        let scheduler = scheduler
        @Sendable func step(_ name: String) -> Future<String> {
            log.add("begin \(name)")
            return Future(value: name).delay(.seconds(1), on: scheduler)
        }
        let store = Store<[String], String>(
            initialState: [],
            effects: { state, event in
                state.append(event)
                guard event == "go" else { return .none }
                // snippet: together
                return .concatenate(
                    .merge(.future(step("a")), .future(step("b"))),
                    .future(step("c"))
                )
                // end snippet
            })
        store.dispatch(event: "go")
        #expect(log.lines == ["begin a", "begin b"])
        scheduler.run()
        #expect(store.state == ["go", "a", "b", "c"])
    }

    @Test func released() {
        let (find, scheduler) = (library.find, scheduler)
        // snippet: released
        var store: Store<[String], String>? = Store(
            initialState: [],
            effects: { state, event in
                state.append(event)
                return .future(find(event).map { $0[0] })
            })
        store?.dispatch(event: "momo")
        #expect(!scheduler.isIdle)

        store = nil
        #expect(scheduler.isIdle)
        // end snippet
    }

    @Test func fedBack() {
        let find = library.find
        // snippet: feedback
        let answers = Feedback<Search, Event> {
            $0.text.isEmpty ? nil : $0.text
        } effect: { text in
            .request(find(text)) { .answered($0) }
        }
        let store = Store<Search, Event>(
            initialState: Search(),
            reduce: { state, event in
                var state = state
                switch event {
                case .typed(let text): state.text = text
                case .answered(let result): state.books = (try? result.get()) ?? []
                }
                return state
            },
            feedback: [answers])

        store.dispatch(event: .typed("momo"))
        store.dispatch(event: .typed("momo"))
        #expect(library.asked.lines == ["momo"])
        store.dispatch(event: .typed(""))  // The query is gone, and its effect with it.
        scheduler.run()
        #expect(store.state.books.isEmpty)
        // end snippet
    }
}
