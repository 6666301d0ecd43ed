import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension URLSession {
    /// Makes the task that sends a request.
    func makeTask(for request: HTTPRequest) throws -> URLSessionTask {
        var urlRequest = URLRequest(request)
        switch request.body.content {
        case .none:
            return dataTask(with: urlRequest)
        case .data(let data):
            urlRequest.httpBody = data
            return dataTask(with: urlRequest)
        case .file(let url):
            return uploadTask(with: urlRequest, fromFile: url)
        case .stream:
            throw HTTPError(code: .unsupported, request: request)
        }
    }
}

extension URLRequest {
    /// Makes the head of a request that is known to be valid.
    fileprivate init(_ request: HTTPRequest) {
        self.init(url: request.url)
        httpMethod = request.method.rawValue
        let headers = request.effectiveHeaders
        // Repeated fields are sent as one, joined as HTTPHeaders joins them.
        for (name, _) in headers { setValue(headers[name], forHTTPHeaderField: name) }
    }
}
