import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeInMemoryTransport
import Testing

@Suite struct UnmatchedCallTests {
    private let transport = MemoryTransport(routes: [
        .get("/products/:id", answer: .text("")), .post("/login", answer: .text("")),
        .get("/search", query: ["q": "phone"], answer: .text("")),
    ])

    private func error(_ endpoint: Endpoint) throws -> MemoryTransport.UnmatchedCall {
        try #require(throws: MemoryTransport.UnmatchedCall.self) {
            try transport.request(endpoint).result?.get()
        }
    }

    @Test func itListsTheRoutesAndTheNearest() throws {
        let error = try error(Endpoint(path: "/produts/7"))
        #expect(
            error.description == """
                no route answers GET /produts/7
                nearest: GET /products/:id (segment 1 is "produts", not "products")
                routes:
                  GET /products/:id
                  POST /login
                  GET /search?q=phone
                """
        )
        #expect(error.localizedDescription == error.description)
        #expect(error.routes.count == 3 && error.endpoint.path == "/produts/7")
    }

    @Test(arguments: [
        (Endpoint(path: "/login"), "POST /login", ["the method is not POST"]),
        (
            Endpoint(path: "/products/"), "GET /products/:id",
            [#"segment 2 is "", not a value for id"#]
        ),
        (Endpoint(path: "/search"), "GET /search?q=phone", [#"the query has no "q""#]),
        (
            Endpoint(path: "/products/7/reviews"), "GET /products/:id",
            ["the path has 3 segments, not 2"]
        ),
    ])
    func itSaysHowTheCallDiffers(endpoint: Endpoint, nearest: String, differences: [String]) throws
    {
        let error = try error(endpoint)
        #expect(error.nearest == nearest && error.differences == differences)
    }

    @Test func aRouteWithTheCallsPathIsNearest() throws {
        let transport = MemoryTransport(routes: [
            .get("/orders", answer: .text("")),
            .post("/search", query: ["q": nil, "page": nil], answer: .text("")),
        ])
        let error = try #require(throws: MemoryTransport.UnmatchedCall.self) {
            try transport.request(Endpoint(path: "/search")).result?.get()
        }
        #expect(error.nearest == "POST /search?page=*&q=*")
    }

    @Test func itShowsNoSecrets() throws {
        let endpoint = Endpoint(
            path: "/search",
            query: .init([.init(name: "q", value: "s3cret")]),
            headers: ["Authorization": "s3cret"],
            base: URL(string: "https://me:s3cret@h")
        )
        let error = try error(endpoint)
        #expect(error.differences == [#"the query's "q" is not "phone""#])
        var dumped = ""
        dump(error, to: &dumped)
        for text in ["\(error)", String(reflecting: error), dumped] {
            #expect(!text.contains("s3cret"))
        }
    }

    @Test func withoutRoutesItSaysSo() throws {
        let error = try #require(throws: MemoryTransport.UnmatchedCall.self) {
            try MemoryTransport(routes: []).request(Endpoint(path: "/x")).result?.get()
        }
        #expect(error.nearest == nil && error.description.contains("has no routes"))
    }
}
