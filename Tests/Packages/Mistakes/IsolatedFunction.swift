import Foundation
import Pledge

// snippet: isolated-function
extension Endpoint {
    static func product(withID id: Int) -> Endpoint { Endpoint(path: "/products/\(id)") }
}

func makeLoading(_ networking: @escaping Networking) -> @Sendable (Int) -> Future<Data> {
    chain(Endpoint.product, to: networking)
}
// error: converting function value of type '@MainActor @Sendable (Int) -> Endpoint' to '@Sendable (Int) -> Endpoint' loses global actor 'MainActor'
// end snippet
