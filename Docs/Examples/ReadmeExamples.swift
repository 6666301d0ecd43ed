// snippet: imports
import Foundation
import Pledge
// end snippet
import Testing

/// The code of README.md.
@Suite struct ReadmeExamples {
    // snippet: model
    struct Product: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }
    // end snippet

    @Test func firstProgram() async throws {
        let log = ExampleLog()
        func print(_ items: Any...) { log.add(items.map { "\($0)" }.joined(separator: " ")) }
        // snippet: program
        // A shop in memory, busy at first. In an app, leave out the shop, and what counts its calls.
        let shop = MemoryTransport(routes: [
            .get(
                "/products/:id",
                answer: .sequence([.status(503), .json(Product(id: 7, name: "iPad Pro"))]))
        ])
        let client = HTTPClient(base: URL(string: "https://shop.example")!, over: shop)
        // An ID makes an endpoint, the network makes data of it, and the decoder a product.
        let loadProduct: @Sendable (Int) -> Future<Product> = chain(
            chain(Endpoint.product, to: client.networking),
            to: Future.decoded
        )

        let product = try await loadProduct(7).value
        print(product.name, "after", shop.calls.count, "requests")
        // end snippet
        let readme = try Repository.this.check().documents["README.md"] ?? ""
        let isShown = readme.contains("```text\n\(log.lines.joined(separator: "\n"))\n```")
        #expect(isShown, "README.md does not show \(log.lines)")
    }
}

// snippet: endpoint
extension Endpoint {
    static func product(withID id: Int) -> Endpoint {
        Endpoint(path: "/products/\(id)")
    }
}
// end snippet
