import Futures
import HTTPNetworking
import Services

/// A transport made from a function that returns whole responses.
struct FunctionTransport: HTTPTransport {
    let service: HTTPService

    /// Notes in the attempt's record what is sent, and names the request, as transports do, if the function does not.
    ///
    /// A cache above learns by the request whether a key was added beneath it.
    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        noting(request, in: .current, service).naming(request)
    }
}
