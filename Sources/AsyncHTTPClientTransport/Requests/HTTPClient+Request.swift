#if AsyncHTTPClient
import AsyncHTTPClient
import PledgeHTTPNetworking
import NIOHTTP1

extension HTTPClient.Request {
    /// Makes the request for AsyncHTTPClient, which adds Host, and Content-Length or Transfer-Encoding.
    init(_ call: RequestAttempt, _ upload: Upload?, _ control: RequestLifetime) throws {
        let request = call.request
        let lowered = call.lease.routes.lowered(request.url)
        var headers = NIOHTTP1.HTTPHeaders(request.effectiveHeaders.map { ($0.name, $0.value) })
        if let lowered, !headers.contains(name: "Host") {
            headers.add(name: "Host", value: lowered.host)
        }
        try self.init(
            url: lowered?.url ?? request.url,
            method: NIOHTTP1.HTTPMethod(rawValue: request.method.rawValue),
            headers: headers,
            body: upload?.body(for: call, control)
        )
    }
}
#endif
