import Foundation
import Pledge

/// Says what an app in Swift 5 mode can do, and fails where it cannot.
@main
struct App {
    static func main() async throws {
        try await checkProducts()
        try await checkActions()
    }

    static func checkProducts() async throws {
        let networking: Networking = { endpoint in
            Future(value: Data(#"{"id": 7, "name": "\#(endpoint.path)"}"#.utf8))
        }
        let loadProduct: @Sendable (Int) -> Future<Product> = chain(
            chain(Endpoint.product, to: networking),
            to: Future.decoded
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
