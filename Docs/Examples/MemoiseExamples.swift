import Pledge
import Testing

/// The code of Docs/Policies/Memoise.md.
@Suite struct MemoiseExamples {
    @Test func usage() {
        let scheduler = ManualScheduler()
        let lines = ExampleLog()
        let log: @Sendable (String) -> Void = { lines.add("\(scheduler.now.offset): \($0)") }
        // snippet: usage
        let loadRate: Service<String, Double> = { currency in
            log("asked for \(currency)")
            return Future(value: 1.08)
        }
        let rate = stack(
            .memoise(timeToLive: .seconds(60), limit: 50, on: scheduler), .coalesce(),
            over: loadRate)

        _ = rate("EUR")
        scheduler.advance(by: .seconds(59))
        _ = rate("EUR")
        scheduler.advance(by: .seconds(1))
        _ = rate("EUR")
        // end snippet
        #expect(lines.lines == ["0.0 seconds: asked for EUR", "60.0 seconds: asked for EUR"])
    }

    @Test func invalidate() {
        struct Product: Equatable, Sendable {
            var id: Int
            var price: Int
        }
        let scheduler = ManualScheduler()
        let price = ExampleLog()
        let loadProduct: Service<Int, Product> = { id in
            price.add("")
            return Future(value: Product(id: id, price: price.lines.count))
        }
        let saveProduct: Service<Product, Int> = { Future(value: $0.id) }
        // snippet: invalidate
        let products = Memo<Int, Product>(timeToLive: .seconds(300), limit: 500, on: scheduler)
        let load = stack(.memoise(sharing: products), over: loadProduct)
        let save: Service<Product, Int> = { product in
            saveProduct(product).always { products.invalidate(product.id) }
        }
        // end snippet
        _ = [load(7), load(7)]
        #expect((try? load(7).result?.get().price) == 1)
        _ = save(Product(id: 7, price: 5))
        #expect((try? load(7).result?.get().price) == 2)
    }
}
