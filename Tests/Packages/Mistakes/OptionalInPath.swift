import Foundation
import Pledge

// snippet: optional-in-path
func product(withID id: Int?, at shop: URL) -> Endpoint {
    Endpoint(path: "/products/\(id)", base: shop)
}
// error: ambiguous use of 'init(path:queryItems:method:headers:body:base:_optionalsAndOtherTypesAreNoValuesOfAPath:)'
// end snippet
