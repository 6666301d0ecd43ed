import Pledge

extension Endpoint {
    // snippet: optional-in-path
    static func product(withID id: Int?) -> Endpoint { Endpoint(path: "/products/\(id)") }
    // error: ambiguous use of 'init(path:queryItems:method:headers:body:base:_optionalsAndOtherTypesAreNoValuesOfAPath:)'
    // end snippet
}
