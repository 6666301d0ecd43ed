import Pledge
import PledgeStores
import Testing

/// The code of Docs/Guides/Effects.md on reducers of parts.
@Suite struct ReducersOfPartsExamples {
    // snippet: row
    struct Download: Identifiable, Equatable, Sendable {
        let id: Int
        var text = "not loaded"

        enum Event: Sendable { case load, loaded(String) }

        static func reducer(
            _ load: @escaping @Sendable (Int) -> Future<String>
        ) -> Reducer<Download, Download.Event> {
            Reducer(effects: { download, event in
                switch event {
                case .load:
                    let id = download.id
                    download.text = "loading"
                    return .future(load(id).map { .loaded($0) }).id("load")
                case .loaded(let text):
                    download.text = text
                    return .none
                }
            })
        }
    }
    // end snippet

    // snippet: list
    struct List: Equatable, Sendable {
        var downloads = [Download(id: 1), Download(id: 2)]

        enum Event: Sendable {
            case download(Int, Download.Event)
            case remove(Int)
        }

        static func reducer(
            _ load: @escaping @Sendable (Int) -> Future<String>
        ) -> Reducer<List, List.Event> {
            .combine(
                Download.reducer(load).forEach(\.downloads) { event in
                    if case .download(let id, let event) = event { (id, event) } else { nil }
                } embed: { id, event in
                    .download(id, event)
                },
                Reducer(effects: { list, event in
                    guard case .remove(let id) = event else { return .none }
                    list.downloads.removeAll { $0.id == id }
                    return .cancel(id: "load", of: id, in: \List.downloads)
                }))
        }
    }
    // end snippet

    @Test func putTogether() {
        // snippet: put-together
        let scheduler = ManualScheduler()
        let load: @Sendable (Int) -> Future<String> = { id in
            Future(value: "text \(id)").delay(.seconds(1), on: scheduler)
        }
        let store = Store(initialState: List(), reducer: List.reducer(load))
        store.dispatch(.download(1, .load))
        store.dispatch(.download(2, .load))
        store.dispatch(.remove(1))
        scheduler.run()
        #expect(store.state.downloads == [Download(id: 2, text: "text 2")])
        // end snippet
    }
}
