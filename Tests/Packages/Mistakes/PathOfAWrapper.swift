import Foundation
import Pledge

// snippet: path-of-a-wrapper
struct Shop {
    let client: HTTPClient

    func get(_ path: String) async throws -> HTTPResponse {
        try await client.get(path)
    }
}
// error: 'get(_:query:headers:)' is unavailable: a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`
// end snippet
