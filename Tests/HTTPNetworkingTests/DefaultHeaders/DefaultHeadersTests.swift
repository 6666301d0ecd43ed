import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

@Suite struct DefaultHeadersTests {
    private func sent(
        _ middleware: Middleware<HTTPRequest, HTTPRequest>, _ headers: HTTPHeaders,
        body: HTTPRequest.Body = .none
    ) throws -> HTTPHeaders {
        let service = middleware { request in Future(value: request) }
        let url = try #require(URL(string: "https://a.example/"))
        let request = HTTPRequest(.post, url, headers: headers, body: body)
        return try #require(try service(request).result?.get().effectiveHeaders)
    }

    @Test func onlyNamesThatAreMissingAreAdded() throws {
        let defaults = Middleware<HTTPRequest, HTTPRequest>.defaultHeaders([
            "Accept": "a/b", "X-A": "1", "X-a": "2", "Via": "x",
        ])
        let headers = try sent(defaults, ["accept": "c/d", "Via": ""])
        #expect(headers == ["accept": "c/d", "Via": "", "X-A": "1", "X-a": "2"])
    }

    @Test func theBodysOwnTypeStays() throws {
        let defaults = Middleware<HTTPRequest, HTTPRequest>.defaultHeaders([
            "Content-Type": "text/plain"
        ])
        let image = HTTPRequest.Body.data(Data(), contentType: "image/png")
        #expect(try sent(defaults, [:], body: image) == ["Content-Type": "image/png"])
        #expect(try sent(defaults, [:]) == ["Content-Type": "text/plain"])
    }
}
