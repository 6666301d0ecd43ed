import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The server behind every URLSession of this process, `.shared` included: it knows the iPad.
final class Shop: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.host == "shop.example"
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        guard let url = request.url else { return }
        let isKnown = url.path == "/products/7"
        let response = HTTPURLResponse(
            url: url,
            statusCode: isKnown ? 200 : 404,
            httpVersion: "HTTP/1.1",
            headerFields: ["Content-Type": "application/json"]
        )
        if let response {
            client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        }
        let body = isKnown ? #"{"id": 7, "name": "iPad Pro"}"# : #"{"error": "no such product"}"#
        client?.urlProtocol(self, didLoad: Data(body.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
}
