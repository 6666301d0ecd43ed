// snippet: imports
import Foundation
import Pledge
import PledgeStores
import PledgeTesting
import Synchronization
import Testing

// end snippet

/// The code of Docs/Guides/ModellingState.md.
@Suite struct ModellingStateExamples {
    // snippet: recursive
    final class RecursivePlayer {
        var seconds: Int { didSet { handleChange() } }
        private(set) var depth = 0
        private(set) var deepest = 0

        init(seconds: Int) { self.seconds = seconds }

        func handleChange() {
            depth += 1
            deepest = max(deepest, depth)
            if seconds > 0 { seconds -= 1 }
            depth -= 1
        }
    }
    // end snippet

    @Test func recursion() {
        // snippet: recursion
        let player = RecursivePlayer(seconds: 0)
        player.seconds = 100
        #expect(player.deepest == 101)
        // end snippet
    }

    // snippet: video
    struct File: Equatable, Sendable {
        var name: String
    }

    struct Video: Reducible, Equatable {
        struct Playback: Equatable {
            var file: File
            var progress = 0.0
        }

        enum State: Equatable {
            case willDownload(from: String)
            case downloading(from: String)
            case playing(Playback)
            case paused(Playback)
        }

        enum Event: Equatable {
            case started
            case downloaded(File)
            case toggled
            case progressed(to: Double)
        }

        var state: State

        static func reduce(_ video: Video, event: Event) -> Video {
            switch (video.state, event) {
            case (.willDownload(let url), .started): Video(state: .downloading(from: url))
            case (.downloading, .downloaded(let file)):
                Video(state: .playing(Playback(file: file)))
            case (.playing(let playback), .toggled): Video(state: .paused(playback))
            case (.paused(let playback), .toggled): Video(state: .playing(playback))
            case (.playing(var playback), .progressed(let progress)):
                {
                    playback.progress = progress; return Video(state: .playing(playback))
                }()
            default: video
            }
        }
    }
    // end snippet

    @Test func video() {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: button
        @Sendable func actionButton(_ video: Video) -> String {
            switch video.state {
            case .willDownload: "wait"
            case .downloading: "cancel"
            case .playing: "pause"
            case .paused: "play"
            }
        }
        // end snippet
        // snippet: no-recursion
        let store = Store(
            initialState: Video(state: .willDownload(from: "/cat")), reducer: Reducer())
        let depth = Mutex(0)
        store.subscribe { [weak store] _, video in
            depth.withLock { $0 += 1 }
            print("\(depth.withLock { $0 }) deep: \(actionButton(video))")
            switch video.state {
            case .willDownload: store?.dispatch(.started)
            case .downloading: store?.dispatch(.downloaded(File(name: "cat")))
            case .playing, .paused: break
            }
            depth.withLock { $0 -= 1 }
        }
        // prints 1 deep: wait, 1 deep: cancel, 1 deep: pause
        // end snippet
        #expect(log.lines == ["1 deep: wait", "1 deep: cancel", "1 deep: pause"])
        store.dispatch(.progressed(to: 0.5))
        store.dispatch(.toggled)
        store.dispatch(.progressed(to: 0.7))
        #expect(store.state.state == .paused(.init(file: File(name: "cat"), progress: 0.5)))
    }

    // snippet: product
    struct Product: Equatable, Sendable {
        var name: String
    }

    struct Offline: Error, Equatable, CustomStringConvertible {
        var description: String { "You are offline." }
    }
    // end snippet

    @Test func loadable() {
        // snippet: loadable
        func text(_ product: Loadable<Product, Offline>) -> String {
            switch product {
            case .idle: ""
            case .loading(let previous): previous.map { "\($0.name) …" } ?? "Loading"
            case .loaded(let product, let isStale): isStale ? "\(product.name)?" : product.name
            case .failed(let error, let previous):
                previous.map { "\($0.name) (\(error))" } ?? "\(error)"
            }
        }

        var product = Loadable<Product, Offline>.idle
        product.startLoading()
        #expect(text(product) == "Loading")
        product.finishLoading(with: .success(Product(name: "iPad Pro")))
        #expect(text(product) == "iPad Pro")
        product.startLoading()
        #expect(text(product) == "iPad Pro …")
        product.finishLoading(with: .failure(Offline()))
        #expect(text(product) == "iPad Pro (You are offline.)")
        #expect(product.value == Product(name: "iPad Pro"))
        // end snippet
    }

    @Test func loadableOfAFuture() {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: observe-loading
        let price = Promise<Int>()
        price.observeLoading { price in print("\(price.map { "\($0) €" }.value ?? "…")") }
        price.resolve(with: 999)
        // prints …, 999 €
        // end snippet
        #expect(log.lines == ["…", "999 €"])
    }

    @Test @MainActor func loadableOnTheMainActor() async {
        let (log, shown) = (ExampleLog(), Promise<Void>())
        let print: @Sendable (String) -> Void = { line in
            log.add(line)
            if line.hasPrefix("loaded") { shown.resolve() }
        }
        // snippet: observe-loading-on
        let price = Promise<Int>()
        price.observeLoading(on: MainActor.shared) { price in print("\(price)") }
        price.resolve(with: 999)
        // end snippet
        _ = await shown.resultWhenSettled
        #expect(log.lines == ["loading(previous: nil)", "loaded(999, stale: false)"])
    }

    @Test func loadablesTogether() {
        // snippet: zip
        let product = Loadable<Product, Offline>.loaded(Product(name: "iPad Pro"))
        let price = Loadable<Int, Offline>.loading(previous: 999)
        let label = zip(product, price).map { product, price in "\(product.name), \(price) €" }
        #expect(label == .loading(previous: "iPad Pro, 999 €"))
        // end snippet
    }
}
