import Foundation
import Pledge

func prices(from client: HTTPClient) async throws {
    // expected-error@+1 {{value of type 'HTTPClient.EventStream' has no member 'value'}}
    for try await price in try await client.events("/prices").value { print(price) }
}
