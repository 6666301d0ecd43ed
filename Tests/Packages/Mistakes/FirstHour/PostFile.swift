import Foundation
import Pledge

func film(in file: URL, with client: HTTPClient) async throws -> HTTPResponse {
    try await client.post("/films", file: file)
}
