import Futures
import HTTPNetworking
import Services

/// A transport made from a function that returns whole responses.
struct FunctionTransport: HTTPTransport {
    let service: HTTPService

    /// Notes in the attempt's record what is sent, as transports do, if the function does not note it.
    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        noting(request, in: .current, service)
    }
}
