import Foundation
import PledgeArticles

/// Says what an app in Swift 5 mode can do, and fails where it cannot.
@main
struct App {
    static func main() async throws {
        try await checkProducts()
        try await checkActions()
        try await checkCalls()
    }

    /// A call returns what is asked for: a value, a response, a future of either.
    static func checkCalls() async throws {
        let client = HTTPClient(base: URL(string: "https://shop.example")) { request in
            let name = request.url.path
            return Future(
                value: HTTPResponse(status: 200, body: Data(#"{"id": 7, "name": "\#(name)"}"#.utf8))
            )
        }
        let product: Product = try await client.get("/products/\(7)")
        check("a value", product.name, is: "/products/7")
        let status = try await client.delete("/products/7").status
        check("a response", "\(status)", is: "200")
        try await client.post("/orders", json: ["id": 7])
        let future = client.futures.get("/products/8", as: Product.self)
        check("a future", try await future.value.name, is: "/products/8")
        let next = client.futures.get("/products/9", as: Product.self).flatMap { product in
            client.futures.get("/after\(product.name)", as: Product.self)
        }.map { product in product.name }
        check("a chain of futures", try await next.value, is: "/after/products/9")
    }

    static func checkProducts() async throws {
        let networking: Networking = { endpoint in
            Future(value: Data(#"{"id": 7, "name": "\#(endpoint.path)"}"#.utf8))
        }
        let loadProduct: @Sendable (Int) -> Future<Product> = chain(
            chain(Endpoint.product, to: networking),
            to: Future.decoded(as: Product.self)
        )
        let controller = ProductController(loading: combine(7, with: loadProduct))
        controller.appear()
        check("observe", controller.title, is: "/products/7")

        let mocked = ProductController { Promise(value: Product(id: 7, name: "iPad Pro")) }
        mocked.appear()
        check("a controller in a test", mocked.title, is: "iPad Pro")

        let product = try await loadProduct(8).value
        check("await", product.name, is: "/products/8")
    }

    static func checkActions() async throws {
        let trim: Action<String, String> = { text, callback in callback(text.filter { $0 != " " }) }
        let greet: Action<String, String> = { name, callback in callback("Welcome, \(name)") }
        let label = Promise<String>()
        let request = trim >- greet <- { text in label.resolve(with: text) }
        request(" Ada ")
        check("actions", try await label.value, is: "Welcome, Ada")
    }

    static func check(_ what: String, _ value: String, is expected: String) {
        print(value == expected ? "ok: \(what)" : "WRONG: \(what): \(value), not \(expected)")
        if value != expected { exit(1) }
    }
}
