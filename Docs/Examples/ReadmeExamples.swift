// snippet: imports
import Foundation
import Pledge
// end snippet
// snippet: testing
import Testing

// end snippet

/// The code of README.md.
@Suite struct ReadmeExamples {
    // snippet: model
    struct Product: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }
    // end snippet

    enum Declared {
        // snippet: networking
        typealias Networking = @Sendable (Endpoint) -> Future<Data>
        // end snippet
    }

    /// A server in memory stands in for the shop, wherever the base leads.
    private static let networking = MemoryTransport(routes: [
        .get("/products/:id", answer: .json(Product(id: 7, name: "iPad Pro")))
    ]).request

    @Test func firstLines() async throws {
        let log = ExampleLog()
        let print: @Sendable (Result<String, any Error>) -> Void = { log.add("\($0)") }
        // snippet: product
        let networking = MemoryTransport(routes: [
            .get("/products/:id", answer: .json(Product(id: 7, name: "iPad Pro")))
        ]).request
        let loadProduct: @Sendable (Int) -> Future<Product> = chain(
            chain(Endpoint.product, to: networking),
            to: Future.decoded
        )

        loadProduct(7).observe { result in print(result.map(\.name)) }
        // end snippet
        let readme = try Repository.this.check().documents["README.md"] ?? ""
        let isShown = readme.contains("```text\n\(log.lines.joined(separator: "\n"))\n```")
        #expect(isShown, "README.md does not show \(log.lines)")
    }

    @Test func secondTry() async throws {
        let networking = Self.networking
        let loadProduct: @Sendable (Int) -> Future<Product> = chain(
            chain(Endpoint.product, to: networking),
            to: Future.decoded
        )
        // snippet: retry
        let patiently = stack(.retry(attempts: 2), .timeout(.seconds(2)), over: loadProduct)
        // end snippet
        #expect(try await patiently(7).value.name == "iPad Pro")
    }

    @Test func awaiting() async throws {
        let loadProduct: @Sendable (Int) -> Future<Product> = { id in
            Future(value: Product(id: id, name: "iPad Pro"))
        }
        // snippet: await
        let product = try await loadProduct(7).value
        // end snippet
        #expect(product.name == "iPad Pro")
    }

    // snippet: test
    @MainActor final class ProductScreen {
        private(set) var title = ""
        private let loading: () -> Future<Product>

        init(loading: @escaping () -> Future<Product>) { self.loading = loading }

        func appear() async { title = (try? await loading().value.name) ?? "Not loaded" }
    }

    @Test @MainActor func showsTheProductsName() async {
        let screen = ProductScreen(loading: {
            Promise(value: Product(id: 7, name: "iPad Pro"))
        })
        await screen.appear()
        #expect(screen.title == "iPad Pro")
    }
    // end snippet
}

// snippet: endpoint
extension Endpoint {
    static func product(withID id: Int) -> Endpoint {
        Endpoint(path: "/products/\(id)", base: URL(string: "https://shop.example"))
    }
}
// end snippet
