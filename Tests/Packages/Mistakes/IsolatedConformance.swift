import Pledge

// snippet: isolated-conformance
struct Product: Codable {
    let id: Int
}

func load(_ networking: Networking) -> Future<Product> {
    networking(Endpoint(path: "/products/7")).decoded()
}
// error: main actor-isolated conformance of 'Product' to 'Decodable' cannot satisfy conformance requirement for a 'Sendable' type parameter
// end snippet
