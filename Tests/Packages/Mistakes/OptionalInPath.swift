import Foundation
import Pledge

// snippet: optional-in-path
func product(withID id: Int?, at shop: URL) -> Endpoint {
    Endpoint(path: "/products/\(id)", base: shop)
}
// error: 'appendInterpolation' is unavailable: a path takes text, numbers, Bool, UUID and raw values of these: unwrap an optional, or give a default
// end snippet
