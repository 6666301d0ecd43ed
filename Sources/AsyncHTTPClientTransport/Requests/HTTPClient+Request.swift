#if AsyncHTTPClient
import AsyncHTTPClient
import HTTPNetworking
import NIOHTTP1

extension HTTPClient.Request {
    /// What is handed to AsyncHTTPClient, which adds Host, and Content-Length or Transfer-Encoding.
    init(_ call: RequestAttempt, _ upload: Upload?, _ control: RequestLifetime) throws {
        let request = call.request
        try self.init(
            url: request.url,
            method: NIOHTTP1.HTTPMethod(rawValue: request.method.rawValue),
            headers: NIOHTTP1.HTTPHeaders(request.effectiveHeaders.map { ($0.name, $0.value) }),
            body: upload?.body(for: call, control)
        )
    }
}
#endif
