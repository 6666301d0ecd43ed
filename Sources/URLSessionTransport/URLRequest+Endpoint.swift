import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension URLRequest {
    /// Makes the request that sends an endpoint.
    ///
    /// - Throws: `Endpoint.Error` where the endpoint cannot be sent.
    init(_ endpoint: Endpoint) throws(Endpoint.Error) {
        self.init(url: try endpoint.validate())
        httpMethod = endpoint.method.rawValue
        httpBody = endpoint.body.data
        let headers = endpoint.effectiveHeaders
        // Repeated fields are sent as one, joined as HTTPHeaders joins them.
        for (name, _) in headers where !Self.isFraming(name) {
            setValue(headers[name], forHTTPHeaderField: name)
        }
    }

    /// Whether a header says where the body ends, which the body alone may say: on Linux a wrong
    /// Content-Length is sent as it is, and the rest of the body is read as another request.
    private static func isFraming(_ name: String) -> Bool {
        ["content-length", "transfer-encoding"].contains(name.lowercased())
    }
}
