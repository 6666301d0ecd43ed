import Foundation
import Pledge

// snippet: other-type-in-path
func orders(on day: Date) -> Endpoint {
    Endpoint(path: "/orders?day=\(day)")
}
// error: ambiguous use of 'init(path:queryItems:method:headers:body:base:_optionalsAndOtherTypesAreNoValuesOfAPath:)'
// end snippet
