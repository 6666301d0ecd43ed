import Pledge

struct Product: Codable, Equatable, Sendable {
    var id = 7
    var name = "iPad Pro"
}

// snippet: missing-value
func loadName(by client: HTTPClient) async throws -> String {
    let product: Product = try await client.decoded(Endpoint(path: "/products/7"))
    return product.name
}
// error: cannot convert value of type 'Future<Value>' to specified type 'Product'
// error: generic parameter 'Value' could not be inferred
// end snippet
