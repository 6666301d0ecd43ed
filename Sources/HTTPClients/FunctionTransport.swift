import Futures
import HTTPNetworking
import Services

/// A transport of a function that gives whole responses.
struct FunctionTransport: HTTPTransport {
    let service: HTTPService

    /// Notes in the attempt's record what is sent, as transports do, where the function does not.
    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        noting(request, in: .current, service)
    }
}
