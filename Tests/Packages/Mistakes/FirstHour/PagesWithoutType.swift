import Foundation
import Pledge

struct Page: Decodable, Sendable {
    var items: [Product]
    var next: String?
}
func items(from client: HTTPClient) async throws {
    // expected-error@+1 {{cannot infer type of closure parameter '$0' without a type annotation}}
    for try await page in client.pages("/items", cursor: "after", next: { $0.next }) {
        print(page.items.count)
    }
}
