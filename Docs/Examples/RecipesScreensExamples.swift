// snippet: imports
import Foundation
import Observation
import Pledge
// end snippet
import PledgeTesting
import TestSupport
import Testing

#if canImport(SwiftUI)
// snippet: swiftui
import SwiftUI
// end snippet
#endif

/// The code of Docs/Guides/Recipes/Screens.md.
@MainActor @Suite(.oneAtATime)
struct RecipesScreensExamples {
    // snippet: product
    struct Product: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }
    // end snippet

    // snippet: model
    @MainActor @Observable final class ProductModel {
        private(set) var product = Loadable<Product, any Error>.idle
        @ObservationIgnored let networking: Networking

        init(networking: @escaping Networking) { self.networking = networking }

        func load(_ id: Int) async {
            product.startLoading()
            let data = networking(Endpoint(path: "/products/\(id)"))
            let result: Result<Product, any Error> = await data.decoded().resultWhenSettled
            if Task.isCancelled { return product.cancelLoading() }
            product.finishLoading(with: result)
        }
    }
    // end snippet

    #if canImport(SwiftUI)
    // snippet: view
    struct ProductView: View {
        @State var model: ProductModel

        var body: some View {
            Text(model.product.value?.name ?? "…")
                .task { await model.load(7) }
        }
    }
    // end snippet
    #endif

    // snippet: text
    func text(of product: Loadable<Product, any Error>) -> String {
        switch product {
        case .idle: ""
        case .loading(let known): known.map { "\($0.name) …" } ?? "Loading"
        case .loaded(let product, _): product.name
        case .failed(_, let known?): "\(known.name) (not up to date)"
        case .failed(let error as HTTPError, nil) where error.status == 404: "It is gone."
        case .failed: "Not loaded. Try again."
        }
    }
    // end snippet

    @Test func texts() async throws {
        // snippet: stub
        let preview = MemoryTransport(routes: [
            .get("/products/7", answer: .json(Product(id: 7, name: "pen"))),
            .get("/products/8", answer: .status(404)),
        ])
        let model = ProductModel(networking: preview.request)
        // end snippet
        #expect(text(of: model.product) == "")
        await model.load(7)
        #expect(text(of: model.product) == "pen")
        await model.load(8)
        #expect(text(of: model.product) == "pen (not up to date)")
        let other = ProductModel(networking: preview.request)
        await other.load(8)
        #expect(text(of: other.product) == "It is gone.")
        #expect(text(of: .loading()) == "Loading")
        #expect(text(of: .failed(HTTPError(code: .notConnected))) == "Not loaded. Try again.")
    }

    @Test func task() async throws {
        let network = MockNetwork()
        let model = ProductModel(networking: network.request)
        // snippet: task
        let task = Task { await model.load(7) }  // as `.task` does when the view appears
        // end snippet
        let call = try await network.next()
        // snippet: leave
        task.cancel()  // as `.task` does when the view disappears
        // end snippet
        await task.value
        #expect(!model.product.isLoading)
        #expect(call.endpoint == Endpoint(path: "/products/7"))
        #expect(text(of: model.product) == "")
    }

    @Test func nothingIsShownIfTheAnswerComesAsTheTaskIsCancelled() async throws {
        let network = MockNetwork()
        let model = ProductModel(networking: network.request)
        let task = Task { await model.load(7) }
        let call = try await network.next()
        // On the main actor, so that the model goes on only after both.
        try await MainActor.run {
            try call.answer(with: .json(Product(id: 7, name: "pen")))
            task.cancel()
        }
        await task.value
        #expect(text(of: model.product) == "")
    }

    @Test func observation() throws {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: observation
        let answer = Promise<Data>()
        answer.onCancel { print("the request is cancelled") }
        let shown = answer.observation { result in print("\(result)") }

        shown.cancel()  // in viewDidDisappear
        // end snippet
        try RecipePage("Screens").expectOutput(lines)
        #expect(lines.lines == ["the request is cancelled"])
    }

    // snippet: search-types
    struct Search: Equatable, Sendable {
        var text = ""
        var hits: [String] = []

        enum Event: Sendable { case typed(String), found(Result<[String], any Error>) }
    }
    // end snippet

    @Test func debounce() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: find
        let scheduler = ManualScheduler()
        let find = { @Sendable (text: String) -> Future<[String]> in
            print("asked for \(text)")
            return Future(value: ["\(text) and other stories"])
        }
        // end snippet
        // snippet: debounce
        let store = Store<Search, Search.Event>(
            initialState: Search(),
            reducer: Reducer(effects: { search, event in
                switch event {
                case .typed(let text):
                    search.text = text
                    return .request(find(text)) { .found($0) }
                        .debounce(id: "search", for: .milliseconds(300), on: scheduler)
                case .found(let result):
                    search.hits = (try? result.get()) ?? []
                    return .none
                }
            }))
        // end snippet
        for text in ["m", "mo", "mom", "momo"] { store.dispatch(event: .typed(text)) }
        scheduler.run()
        #expect(lines.lines == ["asked for momo"])
        #expect(store.state.hits == ["momo and other stories"])
    }
}
