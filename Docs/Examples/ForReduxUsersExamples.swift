// snippet: imports
import Pledge
// end snippet
import Testing

/// The code of Docs/Guides/ForReduxUsers.md.
@Suite struct ForReduxUsersExamples {
    private let log = ExampleLog()

    /// What the example prints.
    private var print: @Sendable (String) -> Void { { [log] in log.add($0) } }

    // snippet: reducer
    struct Todos: Reducible, Equatable {
        var items: [String] = []
        var filter = ""

        enum Action {
            case added(String)
            case filtered(String)
        }

        static func reduce(_ state: Todos, event action: Action) -> Todos {
            var state = state
            switch action {
            case .added(let item): state.items.append(item)
            case .filtered(let text): state.filter = text
            }
            return state
        }
    }
    // end snippet

    @Test func store() {
        // snippet: store
        let logger = DispatchMiddleware<Todos, Todos.Action> { context in
            { next in
                { action in
                    next(action)
                    print("\(action), now \(context.state.items.count)")
                }
            }
        }
        let store = Store(
            initialState: Todos(), reducer: Reducer(Todos.reduce), middleware: [logger])

        // A selector: its observers are told when its result has changed.
        let shown = store.derived { todos in
            todos.items.filter { $0.contains(todos.filter) }
        }
        let id = shown.subscribe { _, items in print("\(items)") }

        store.dispatch(event: .added("milk"))  // prints ["milk"], then added("milk"), now 1
        store.dispatch(event: .added("tea"))
        store.dispatch(event: .filtered("t"))  // prints ["tea"], then filtered("t"), now 2
        store.unsubscribe(id)
        // end snippet
        #expect(
            log.lines == [
                "[]",
                #"["milk"]"#, #"added("milk"), now 1"#,
                #"["milk", "tea"]"#, #"added("tea"), now 2"#,
                #"["tea"]"#, #"filtered("t"), now 2"#,
            ])
    }
}
