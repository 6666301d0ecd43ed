import Foundation
import Pledge

func page(_ page: Int?, since day: Date, from client: HTTPClient) async throws -> Product {
    // expected-error@+1 {{cannot convert value of type 'Date'}}
    try await client.get("/products", query: ["page": page, "since": day])
}
