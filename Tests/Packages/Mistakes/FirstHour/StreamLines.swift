import Foundation
import Pledge

func lines(from client: HTTPClient) async throws {
    // expected-error@+1 {{value of type 'HTTPStreamedResponse' has no member 'lines'}}
    for try await line in try await client.stream("/log").lines { print(line) }
}
