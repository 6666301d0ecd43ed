import Pledge

struct Product: Codable, Equatable, Sendable {
    var id = 7
    var name = "iPad Pro"
}

// snippet: closure-parameter
func name(by client: HTTPClient) -> Future<String> {
    client.networking(Endpoint(path: "/products/7")).decoded().map { product in product.name }
}
// error: cannot infer type of closure parameter 'product' without a type annotation
// end snippet
