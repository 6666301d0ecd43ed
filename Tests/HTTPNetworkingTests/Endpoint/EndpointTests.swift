import Foundation
import HTTPTestSupport
import PledgeHTTPNetworking
import Testing

@Suite struct EndpointTests {
    private let server = URL(string: "https://api.example.com/v1")!

    @Test func onlyThePathMustBeGiven() {
        let endpoint = Endpoint(path: "/products")
        #expect(endpoint.queryItems.isEmpty && endpoint.method == .get && endpoint.headers.isEmpty)
        #expect(endpoint.body == .none && endpoint.base == nil)
    }

    @Test func endpointsAreEqualWhereTheyWouldSendTheSame() {
        let item = URLQueryItem(name: "a", value: "1")
        let one = Endpoint(path: "/x", queryItems: [item], headers: ["Accept": "a", "B": "b"])
        let same = Endpoint(path: "/x", queryItems: [item], headers: ["b": "b", "ACCEPT": "a"])
        #expect(one == same && one.hashValue == same.hashValue)
        #expect(Set([one, same]).count == 1)

        var others = Array(repeating: one, count: 7)
        others[0].path = "x"
        others[1].queryItems.append(item)
        others[2].method = .head
        others[3].headers["Accept"] = "A"
        others[4].body = .data(Data())
        others[5].base = server
        others[6].queryItems[0].value = nil
        #expect(Set(others + [one]).count == 8)
    }

    @Test func composedAndDecomposedLettersAreNotTheSameBytes() {
        #expect(Endpoint(path: "/\u{E9}") != Endpoint(path: "/e\u{301}"))
        let composed = [URLQueryItem(name: "q", value: "\u{E9}")]
        let decomposed = [URLQueryItem(name: "q", value: "e\u{301}")]
        #expect(
            Endpoint(path: "", queryItems: composed) != Endpoint(path: "", queryItems: decomposed)
        )
    }

    @Test func basedFillsInWhatIsMissing() {
        let based = Endpoint.based(on: server)
        #expect(based(Endpoint(path: "/x")).url?.absoluteString == "https://api.example.com/v1/x")
        let other = URL(string: "https://other.example")
        #expect(based(Endpoint(path: "/x", base: other)).base == other)
        let whole = URL(string: "https://h/x")!
        #expect(based(Endpoint(url: whole)).url == whole)
    }

    @Test func theBodyBringsItsContentType() throws {
        var endpoint = Endpoint(path: "/", method: .post, body: try .json([1]))
        #expect(endpoint.effectiveHeaders == ["Content-Type": "application/json"])
        endpoint.headers["content-type"] = "application/vnd.x+json"
        #expect(endpoint.effectiveHeaders == ["Content-Type": "application/vnd.x+json"])
        endpoint.body = .none
        endpoint.headers = [:]
        #expect(endpoint.effectiveHeaders.isEmpty)
    }

    @Test func noTextOfAnEndpointShowsASecret() throws {
        let endpoint = Endpoint(
            path: "/login",
            queryItems: [.init(name: "key", value: "s3cret"), .init(name: "s3cret", value: nil)],
            method: .post,
            headers: ["Authorization": "Bearer s3cret", "Accept": "text/plain"],
            body: try .json(["password": "s3cret"]),
            base: URL(string: "https://me:s3cret@h/v1?token=s3cret")
        )
        #expect(endpoint.description == "POST https://…@h/v1/login?token=…&key=…&…")
        for text in texts(of: endpoint) + texts(of: endpoint.body) + texts(of: [endpoint.headers]) {
            #expect(!text.contains("s3cret"), "\(text)")
        }
        #expect(Endpoint(path: "/a b").description == "GET /a%20b")
        #expect(!Endpoint(path: "https://me:s3cret@/x").description.contains("s3cret"))
        #expect(Endpoint(path: "/x", method: "A\r\nB").description == #"A\r\nB /x"#)
    }
}
