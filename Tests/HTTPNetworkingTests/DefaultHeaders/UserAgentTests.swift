import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import Testing

@Suite struct UserAgentTests {
    @Test func itIsSaidWhereTheRequestDoesNot() throws {
        let service = stack(
            .userAgent("Shop/2.1"),
            over: { (request: HTTPRequest) in
                Future(value: request.headers)
            })
        let url = try #require(URL(string: "https://a.example/"))
        #expect(try service(HTTPRequest(.get, url)).result?.get() == ["User-Agent": "Shop/2.1"])
        let own = HTTPRequest(.get, url, headers: ["user-agent": "me"])
        #expect(try service(own).result?.get() == ["user-agent": "me"])
    }
}
