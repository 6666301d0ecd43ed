import HTTPNetworking

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

extension URLSession {
    /// Makes the task that sends a request.
    func makeTask(for request: HTTPRequest, _ body: UploadBody) -> URLSessionTask {
        var head = URLRequest(request)
        switch body {
        case .none:
            return dataTask(with: head)
        case .data(let data):
            head.httpBody = data
            return dataTask(with: head)
        case .file(let url, _):
            return uploadTask(with: head, fromFile: url)
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
