import Foundation
import Pledge

func items(from client: HTTPClient) async throws {
    // expected-error@+1 {{generic parameter 'Page' could not be inferred}}
    for try await page in client.pages("/items") { print(page) }
}
