#if HTTPTypes
import PledgeFutures
import PledgeHTTPNetworking
import HTTPTypes
import PledgeHTTPTypesConversions
import Testing

struct HTTPResponseConversionTests {
    @Test(arguments: [0, 100, 200, 404, 599, 999])
    func keepsStatusAndFields(_ status: Int) throws {
        let response = PledgeHTTPNetworking.HTTPResponse(
            status: status, headers: HTTPHeaders([("ETag", "\"1\""), ("Via", "a"), ("via", "b")]),
            body: Data("x".utf8))
        let head = try HTTPTypes.HTTPResponse(response)
        #expect(head.status.code == status)
        #expect(head.headerFields.map(\.description) == ["ETag: \"1\"", "Via: a", "via: b"])
        #expect(PledgeHTTPNetworking.HTTPResponse(head, body: response.body) == response)
    }

    @Test(arguments: [-1, 1000])
    func refusesAStatusThatHasNotThreeDigits(_ status: Int) {
        #expect(throws: ConversionError.invalidStatus(status)) {
            try HTTPTypes.HTTPResponse(PledgeHTTPNetworking.HTTPResponse(status: status))
        }
    }

    @Test func losesTheReasonPhrase() throws {
        let head = HTTPTypes.HTTPResponse(status: .init(code: 200, reasonPhrase: "Very well"))
        let back = try HTTPTypes.HTTPResponse(PledgeHTTPNetworking.HTTPResponse(head))
        #expect(back.status.reasonPhrase == "")
        #expect(back.status.code == 200)
    }

    @Test func takesABodyOnItsWay() async throws {
        let head = HTTPTypes.HTTPResponse(
            status: .init(code: 203), headerFields: [.eTag: "\"1\""])
        let url = try #require(URL(string: "https://a.example/"))
        let response = HTTPStreamedResponse(
            head, body: HTTPBodyStream(Data("piece".utf8), chunksOf: 2), url: url)
        #expect(try HTTPTypes.HTTPResponse(response) == head)
        #expect(response.url == url)
        #expect(try await response.collected(upTo: 9).value.text == "piece")
    }
}
#endif
