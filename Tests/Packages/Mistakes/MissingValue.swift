import Pledge

struct Product: Codable, Equatable, Sendable {
    var id = 7
    var name = "iPad Pro"
}

// snippet: missing-value
func load(by client: HTTPClient) async throws -> Data {
    let data: Data = try await client.networking(Endpoint(path: "/products/7"))
    return data
}
// error: cannot convert value of type 'Future<Data>' to specified type 'Data'
// end snippet
