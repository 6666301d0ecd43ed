import Foundation
import Pledge

func lines(from client: HTTPClient) async throws {
    // expected-error@+1 {{is 'async' but is not marked with 'await'}}
    for try await chunk in client.stream("/log").body { print(chunk.count) }
}
