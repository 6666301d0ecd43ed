import Foundation
import Pledge

func ping(_ client: HTTPClient) async throws {
    try await client.send(Endpoint(path: "/ping", method: .post))
}
