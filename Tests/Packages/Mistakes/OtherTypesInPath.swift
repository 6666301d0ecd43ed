import Foundation
import Pledge

struct Product: Sendable {
    var name: String
}

// Whatever has a text is not yet a value: each of these must name a part, or unwrap.
func endpoints(
    _ product: Product, _ date: Date, _ names: [String], _ url: URL, _ any: Any, _ maybe: String?,
    send: (Endpoint) async throws -> Void
) async throws {
    _ = Endpoint(path: "/\(product)")
    _ = Endpoint(path: "/\(date)")
    _ = Endpoint(path: "/\(names)")
    _ = Endpoint(path: "/\(url)")
    _ = Endpoint(path: "/\(any)")
    _ = Endpoint(path: "/a?q=\(maybe)", method: .post)
    try await send(Endpoint(path: "/\(names.first)"))
    // error: ambiguous use of 'init(path:queryItems:method:headers:body:base:_optionalsAndOtherTypesAreNoValuesOfAPath:)'
}

let path: Endpoint.Path = "/\(Int?.none)"
// error: value of optional type 'Int?' must be unwrapped to a value of type 'Int'
