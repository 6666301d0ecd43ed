#if HTTPTypes
// snippet: HTTPTypes-packages
import Foundation
import HTTPTypes
import Pledge
// end snippet

// snippet: HTTPTypes-import
import PledgeHTTPTypesConversions
// end snippet

import Testing

/// The code that the guide on HTTPTypes shows.
struct GuideTests {
    @Test func convertsARequest() throws {
        // snippet: HTTPTypes-request
        let url = URL(string: "https://api.example.com/products?page=2#top")!
        let request = PledgeHTTPMessages.HTTPRequest(
            .get, url, headers: ["Accept": "application/json"])
        let head = try HTTPTypes.HTTPRequest(request)
        let same = try PledgeHTTPMessages.HTTPRequest(head, body: .none)
        // end snippet
        #expect(head.authority == "api.example.com")
        #expect(head.path == "/products?page=2")
        #expect(same.headers == request.headers)
    }

    // snippet: HTTPTypes-service
    /// A client of another library, whose messages are those of HTTPTypes.
    protocol OtherClient: Sendable {
        func execute(
            _ request: HTTPTypes.HTTPRequest, body: Data
        ) async throws -> (HTTPTypes.HTTPResponse, Data)
    }

    /// A service that sends by it; a body that is not in memory is left to a transport of Pledge.
    func service(over client: some OtherClient) -> HTTPService {
        { request in
            Future {
                try request.validate()
                guard request.body.isEmpty else {
                    throw HTTPError(code: .unsupported, request: request)
                }
                let (head, body) = try await client.execute(
                    HTTPTypes.HTTPRequest(request), body: Data())
                var response = PledgeHTTPMessages.HTTPResponse(head, body: body, url: request.url)
                response.request = request
                return response
            }
        }
    }
    // end snippet

    @Test func sendsByAnotherClient() async throws {
        let url = try #require(URL(string: "https://api.example.com/products"))
        let send = service(over: Echo())
        let response = try await send(HTTPRequest(url, headers: ["X-Tag": "1"])).value
        #expect(response.headers == ["X-Tag": "1"])
        #expect(response.text == "/products")
        let body = HTTPRequest(.post, url, body: .data(Data("a".utf8), contentType: "text/plain"))
        await #expect(throws: HTTPError.self) { try await send(body).value }
    }

    private struct Echo: OtherClient {
        func execute(
            _ request: HTTPTypes.HTTPRequest, body: Data
        ) async throws -> (HTTPTypes.HTTPResponse, Data) {
            let head = HTTPTypes.HTTPResponse(status: .ok, headerFields: request.headerFields)
            return (head, Data((request.path ?? "").utf8))
        }
    }

    private typealias HTTPRequest = PledgeHTTPMessages.HTTPRequest
}
#endif
