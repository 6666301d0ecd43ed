// snippet: imports
import Foundation
import PledgeArticles

// end snippet

// snippet: product
struct Product: Codable, Identifiable, Equatable, Sendable {
    let id: Int
    let name: String
}
// end snippet

// snippet: endpoint
extension Endpoint {
    static func product(withID id: Product.ID) -> Endpoint {
        Endpoint(path: "/products/\(id)", base: URL(string: "https://shop.example"))
    }
}
// end snippet
