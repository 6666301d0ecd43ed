import Foundation
import Pledge
import Testing

/// The code of Docs/Guides/Futures.md on several futures.
@Suite struct FuturesCombiningExamples {
    typealias Product = FuturesExamples.Product

    private let loadProduct = FuturesExamples().loadProduct
    private let loadReviews = FuturesExamples().loadReviews

    @Test func combining() async throws {
        // snippet: zip
        let page = zip(loadProduct(7), Future(value: "EUR"))
            .map { product, currency in "\(product.name): \(product.price) \(currency)" }
        // end snippet
        #expect(try await page.value == "Product 7: 10 EUR")
        // snippet: all
        let products = Future.all([7, 8, 9].map(loadProduct))
        let whatEver = Future.allSettled([7, 8, 9].map(loadProduct))
        let firstSuccess = Future.any([loadProduct(7), loadProduct(8)])
        let firstResult = Future.race([loadProduct(7), loadProduct(8)])
        // end snippet
        #expect(try await products.value.map(\.id) == [7, 8, 9])
        #expect(try await whatEver.value.map { try $0.get().id } == [7, 8, 9])
        #expect(try await firstSuccess.value.id == 7)
        #expect(try await firstResult.value.id == 7)
    }

    @Test func allOfOthers() async throws {
        // snippet: all-others
        let ids: Set = [7]
        let products = Future.all(ids.lazy.map(loadProduct))
        // end snippet
        #expect(try await products.value.map(\.id) == [7])
    }

    @Test func keptGoing() {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: kept-going
        let (near, far) = (Promise<String>(), Promise<String>())
        far.onCancel { print("stopped") }

        let first = Future.race([near, far].map { $0.shielded() })
        near.resolve(with: "near")
        far.resolve(with: "far")  // true: nobody has stopped it
        // end snippet
        #expect(try! first.result?.get() == "near")
        #expect(try! far.result?.get() == "far")
        #expect(log.lines == [])
    }

    @Test func asCompleted() async throws {
        let log = ExampleLog()
        let print: @Sendable (String) -> Void = { log.add($0) }
        // snippet: as-completed
        for await result in Future.asCompleted([7, 8, 9].map(loadProduct)) {
            print((try? result.get().name) ?? "Not loaded")
        }
        // end snippet
        #expect(log.lines == ["Product 7", "Product 8", "Product 9"])
    }

    @Test func traverse() async throws {
        // snippet: traverse
        let ids = Array(1...20)
        let products = Future.traverse(ids, maxConcurrent: 4) { id in loadProduct(id) }
        // end snippet
        #expect(try await products.value.map(\.id) == ids)
    }

    @Test func traverseWithoutEnd() {
        let log = ExampleLog()
        let print: @Sendable (Int) -> Void = { log.add("\($0)") }
        // snippet: traverse-endless
        let answer = Promise<Void>()
        let send = { @Sendable (number: Int) -> Future<Void> in
            print(number)
            return number < 3 ? Future(value: ()) : answer.map {}
        }
        let sending = Future.traverse(1..., maxConcurrent: 4) { number in send(number) }
        sending.cancel()
        // end snippet
        #expect(log.lines == ["1", "2", "3", "4", "5", "6"])
    }
}
