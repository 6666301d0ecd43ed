import Foundation
import Pledge
import PledgeTesting
// snippet: parcel-import
import Synchronization
// end snippet
import Testing

/// The code of Docs/Guides/Futures.md on errors, async/await, cancellation and time.
@Suite struct FuturesInTimeExamples {
    typealias Product = FuturesExamples.Product

    private let loadProduct = FuturesExamples().loadProduct

    @Test func errors() async throws {
        // snippet: recover
        struct NotCached: Error {}

        let loadCached: @Sendable (Int) -> Future<Product> = { _ in Future(error: NotCached()) }
        let placeholder = Product(id: 0, name: "None")
        let shown = loadCached(7).recover { error in placeholder }
        let loaded = loadCached(7).flatMapError { error in loadProduct(7) }
        let renamed = loadCached(7).mapError { error in URLError(.cannotLoadFromNetwork) }
        // end snippet
        #expect(try await shown.value == placeholder)
        #expect(try await loaded.value.id == 7)
        await #expect(throws: URLError.self) { try await renamed.value }
    }

    @Test func retry() async throws {
        // snippet: retry
        let product = Future.retry(attempts: 3, after: { .seconds($0) }) { loadProduct(7) }
        // end snippet
        #expect(try await product.value.id == 7)
    }

    @Test func effects() async throws {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: effects
        loadProduct(7)
            .onSuccess { product in print(product.name) }
            .onFailure { error in print("\(error)") }
            .always { print("done") }
        // end snippet
        #expect(log.lines == ["Product 7", "done"])
    }

    @Test func awaitingOne() async throws {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: await
        let product = try await loadProduct(7).value
        print(product.name)
        // end snippet
        // snippet: await-settled
        switch await loadProduct(7).resultWhenSettled {
        case .success(let product): print(product.name)
        case .failure(let error): print("Not loaded: \(error)")
        }
        // end snippet
        #expect(log.lines == ["Product 7", "Product 7"])
    }

    @Test func adapters() async throws {
        // snippet: adapters
        let client: @Sendable (Endpoint) async throws -> Data = { endpoint in
            Data("{}".utf8)
        }
        let networking: Networking = { endpoint in Future { try await client(endpoint) } }
        let load = { @Sendable endpoint in try await networking(endpoint).value }
        // end snippet
        #expect(try await load(Endpoint(path: "/")) == Data("{}".utf8))
    }

    @Test @MainActor func onActors() async throws {
        // snippet: on-actors
        @MainActor final class Screen {
            var title = "Products"

            func rename(to title: String) -> Future<Void> {
                Future { self.title = title }  // on the main actor, as in a `Task`
            }
        }

        actor Cart {
            var products: [Product] = []

            func add(_ product: Product) { products.append(product) }

            func add(when loaded: Future<Product>) {
                loaded.onSuccess { product in Task { await self.add(product) } }
            }
        }

        let screen = Screen()
        try await screen.rename(to: "Offers").value
        let title = Future { @MainActor in screen.title }  // from anywhere
        // end snippet
        #expect(try await title.value == "Offers")
        let (cart, product) = (Cart(), loadProduct(7))
        await cart.add(when: product)
        while await cart.products.isEmpty { await Task.yield() }
        #expect(await cart.products.map(\.id) == [7])
    }

    @Test @MainActor func aValueThatIsNotSendable() async throws {
        // snippet: parcel
        /// Carries a value that isn't `Sendable` to the one place that takes it.
        final class Parcel<Value>: Sendable {
            private let content: Mutex<Value?>

            init(_ value: sending Value) { content = Mutex(value) }

            func take() -> sending Value? { content.withLock { $0.take() } }
        }

        final class Drawing {  // not `Sendable`
            var lines: [String] = []
        }

        let drawn = Future<Parcel<Drawing>>.make { resolver in
            resolver.resolve(with: Parcel(Drawing()))
        }
        let drawing = try await drawn.value.take()  // nil for whoever comes second
        // end snippet
        drawing?.lines.append("a line")
        #expect(drawing?.lines == ["a line"])
        #expect(try await drawn.value.take() == nil)
    }

    @Test func cancellation() async throws {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: on-cancel
        let promise = Promise<Data>()
        promise.onCancel { print("stopped") }
        // end snippet
        // snippet: interest
        let title = promise.map { data in "\(data.count) bytes" }
        let thumbnail = promise.map { data in data.prefix(100) }

        title.cancel()  // the thumbnail still wants the data
        thumbnail.cancel()  // nobody does: the producer stops
        // end snippet
        #expect(log.lines == ["stopped"])
        await #expect(throws: CancellationError.self) { try await title.value }
        await #expect(throws: CancellationError.self) { try await promise.value }
    }

    @Test func shield() async throws {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: shielded
        let answer = Promise<String>()
        answer.onCancel { print("stopped") }
        let renewToken = { @Sendable in answer.map { $0 } }

        let token = renewToken().shielded()
        let header = token.map { token in "Bearer \(token)" }
        header.cancel()  // the renewal goes on, for the next caller
        // end snippet
        #expect(log.lines == [])
        answer.resolve(with: "7")
        #expect(try await token.value == "7")
        await #expect(throws: CancellationError.self) { try await header.value }
    }

    @TaskLocal private static var place = "a thread of its own"

    @Test func aTaskThatIsCancelled() async throws {
        let stoppedOn = Promise<String>()
        let print: @Sendable (String) -> Void = { _ in stoppedOn.resolve(with: Self.place) }
        let task = Self.$place.withValue("the canceller's") {
            // snippet: cancelled-await
            let promise = Promise<Int>()
            promise.onCancel { print("stopped") }
            let task = Task { try await promise.value }
            task.cancel()  // the task goes on at once; "stopped" is printed on another thread
            // end snippet
            return task
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await stoppedOn.value == "a thread of its own")
    }

    @Test func abandonment() async throws {
        // snippet: abandoned
        func loadOnce() -> Future<Int> {
            Future.make { resolver in
                // A bug: no path resolves or rejects, and the resolver is released here.
            }
        }
        // end snippet
        let error = await #expect(throws: FutureError.self) { try await loadOnce().value }
        #expect(error?.code == .abandoned)
    }

    @Test func forgottenPromise() async {
        // snippet: forgotten
        func load() -> Future<Int> {
            let promise = Promise<Int>()
            // A bug: nobody keeps the promise but the caller.
            return promise
        }
        let result = await load().resultWhenSettled  // .failure, abandoned
        // end snippet
        let error = #expect(throws: FutureError.self) { try result.get() }
        #expect(error?.code == .abandoned)
    }

    @Test func time() async throws {
        // snippet: manual
        let scheduler = ManualScheduler()
        let answer = Promise<Int>()
        let inTime = answer.timeout(.seconds(2), on: scheduler)

        scheduler.advance(by: .seconds(2))  // no test waits
        // end snippet
        let error = await #expect(throws: FutureError.self) { try await inTime.value }
        #expect(error?.code == .timedOut)
        #expect(scheduler.isIdle)
    }

    @Test func clocks() async throws {
        let state = try await withVirtualTime { scheduler in
            // snippet: clock
            let sleeper = Task {
                try await Task.sleep(for: .seconds(60), clock: scheduler.clock)
                return "awake"
            }
            // end snippet
            await scheduler.advance(by: .seconds(60))
            return try await sleeper.value
        }
        #expect(state == "awake")

        let loadProduct = loadProduct
        // snippet: on-a-clock
        let scheduled = ClockScheduler(SuspendingClock())
        let product = loadProduct(7).timeout(.seconds(10), on: scheduled)
        // end snippet
        #expect(try await product.value.id == 7)
    }

    @Test func liveTime() async throws {
        // snippet: live
        let product = loadProduct(7).timeout(.seconds(10))
        let later = Future(value: 7).delay(.milliseconds(1))
        // end snippet
        #expect(try await product.value.id == 7)
        #expect(try await later.value == 7)
    }
}
