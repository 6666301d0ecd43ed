import Foundation
import Pledge

// snippet: optional-in-call
func load(_ id: Int?, by client: HTTPClient) async throws -> String {
    try await client.get("/products/\(id)")
}
// error: 'appendInterpolation' is unavailable: a path takes text, numbers, Bool, UUID and raw values of these: unwrap an optional, or give a default
// end snippet
