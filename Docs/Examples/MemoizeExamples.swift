// snippet: imports
import Pledge
// end snippet
import Testing

/// The code of Docs/Policies/Memoize.md.
@Suite struct MemoizeExamples {
    @Test func usage() {
        let lines = ExampleLog()
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: usage
        let scheduler = ManualScheduler()
        let log = { @Sendable (text: String) in print("\(scheduler.now.offset): \(text)") }
        let loadRate: Service<String, Double> = { currency in
            log("asked for \(currency)")
            return Future(value: 1.08)
        }
        let rate = stack(
            .memoize(sharing: Memo(timeToLive: .seconds(60), limit: 50, on: scheduler)),
            .coalesce(),
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
        let scheduler = ManualScheduler()
        // snippet: invalidate
        struct Product: Sendable {
            var id: Int
            var price: Int
        }

        let loadProduct: Service<Int, Product> = { id in
            Future(value: Product(id: id, price: Int(scheduler.now.offset.components.seconds)))
        }
        let saveProduct: Service<Product, Int> = { Future(value: $0.id) }
        let products = Memo<Int, Product>(timeToLive: .seconds(300), limit: 500, on: scheduler)
        let load = stack(.memoize(sharing: products), over: loadProduct)
        let save: Service<Product, Int> = { product in
            saveProduct(product).always { products.invalidate(product.id) }
        }
        // end snippet
        let price = { try? load(7).result?.get().price }
        #expect(price() == 0)
        scheduler.advance(by: .seconds(5))
        #expect(price() == 0)
        _ = save(Product(id: 7, price: 5))
        #expect(price() == 5)
    }
}
