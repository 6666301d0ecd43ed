// snippet: front
import Foundation
import Hummingbird
import Pledge

/// The client by which the server calls the other one.
func makeClient(of backend: URL, over transport: CurlTransport) -> HTTPClient {
    var client = HTTPClient(base: backend, over: transport)
    client.tracing = .init(to: .origins(of: backend))
    // The other server is sent the time that this call has left.
    client.aroundExchange = .init { request in
        var request = request
        if let left = CallContext.current.remaining {
            request.headers["Request-Timeout"] = "\(Int(left / .milliseconds(1)))"
        }
        return request
    }
    return client
}

/// The routes of the server: each call of the client is made in its caller's context.
func makeRouter(calling client: HTTPClient) -> Router<BasicRequestContext> {
    let router = Router()
    router.get("products/:id") { request, context -> Response in
        let id = try context.parameters.require("id", as: Int.self)
        let call = CallContext(of: request)
        let product = call.run {
            client.networking(Endpoint(path: "/products/\(id)"))
        }
        do {
            let body = try await product.value
            return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
        } catch {
            let isLate = call.remaining.map { $0 <= .zero } ?? false
            return Response(status: isLate ? .gatewayTimeout : .badGateway)
        }
    }
    return router
}
// end snippet
