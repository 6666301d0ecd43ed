import Foundation
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import Testing

@Suite struct EndpointValidateTests {
    private func endpoint(
        headers: HTTPHeaders = [:],
        method: HTTPMethod = .post,
        body: Endpoint.Body = .none
    ) -> Endpoint {
        Endpoint(
            path: "/x",
            method: method,
            headers: headers,
            body: body,
            base: URL(string: "http://h")
        )
    }

    @Test func whatCanBeSentGivesTheURL() throws {
        let headers: HTTPHeaders = ["X-!#$%&'*+.^_`|~9": " ä\tb ", "Empty": ""]
        #expect(try endpoint(headers: headers).validate().absoluteString == "http://h/x")
    }

    @Test(arguments: [
        "a\r\nX: y", "a\rb", "a\nb", "a\0b", "a\r\n", "\n", "a\u{1}", "\u{7F}", "\u{1B}[1m",
        "a\u{85}b",
    ])
    func valuesWithControlCharactersAreRefused(value: String) {
        #expect(throws: Endpoint.Error.invalidHeader(name: "A")) {
            try endpoint(headers: ["A": value]).validate()
        }
    }

    @Test(arguments: [
        "", " ", "A B", "A:", "A\r\nB", "A\n", "A\0", "Ä", "A(", "A\"", "A/B", "A\t", "{A}", " A",
        "A\u{301}",
    ])
    func namesThatAreNoTokensAreRefused(name: String) {
        #expect(throws: Endpoint.Error.invalidHeader(name: name)) {
            try endpoint(headers: [name: "v"]).validate()
        }
    }

    @Test func theContentTypeOfTheBodyIsAHeaderToo() {
        let body = Endpoint.Body.data(Data([1]), contentType: "text/plain\r\nX: y")
        #expect(throws: Endpoint.Error.invalidHeader(name: "Content-Type")) {
            try endpoint(body: body).validate()
        }
        let named = endpoint(headers: ["content-type": "text/plain"], body: body)
        #expect(throws: Never.self) { try named.validate() }
    }

    @Test(
        arguments: [
            ["Host": "evil", "host": "other"], ["Host": "evil, other"], ["Host": ""],
            ["Host": "a/b"],
            ["Host": "u@h"], ["Host": "h:99999"], ["Connection": "X-A"], ["connection": "close"],
            ["TE": "trailers"], ["Trailer": "X"], ["Upgrade": "h2c"], ["EXPECT": "100-continue"],
            ["Keep-Alive": "timeout=5"], ["Proxy-Connection": "close"],
            ["Proxy-Authorization": "Basic YTpi"],
            ["Transfer-Encoding": "chunked"], ["Content-Length": "5"], ["Content-Length": "+4"],
            ["Content-Length": "4, 4"], ["Content-Length": "4", "content-length": "5"],
        ] as [HTTPHeaders])
    func whatIsTheTransportsToSetIsRefused(headers: HTTPHeaders) throws {
        let endpoint = endpoint(headers: headers, body: .data(Data("body".utf8)))
        let url = try #require(URL(string: "http://h/x"))
        let request = HTTPRequest(.post, url, headers: headers, body: .data(Data("body".utf8)))
        let names = headers.map { Endpoint.Error.reservedHeader(name: $0.name) }

        #expect { try endpoint.validate() } throws: {
            ($0 as? Endpoint.Error).map(names.contains) == true
        }
        #expect { try request.validate() } throws: {
            ($0 as? Endpoint.Error).map(names.contains) == true
        }
    }

    @Test(
        arguments: [
            ["Host": "example.com"], ["host": "[::1]:80"], ["Content-Length": "4"],
            ["Connect": "a"],
            ["Content-Length": "4", "content-length": "4"], ["Text": "a"], ["Forward": "b"],
        ] as [HTTPHeaders])
    func whatACallerMaySetPasses(headers: HTTPHeaders) throws {
        let endpoint = endpoint(headers: headers, body: .data(Data("body".utf8)))
        #expect(throws: Never.self) { try endpoint.validate() }
    }

    @Test func aLengthThatIsKnownOnlyWhenItIsSentIsNotBelieved() throws {
        let url = try #require(URL(string: "http://h/x"))
        let source = HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(Data([1])) }
        var request = HTTPRequest(
            .post, url, headers: ["Content-Length": "9"], body: .stream(source))
        #expect(throws: Never.self) { try request.validate() }
        #expect(request.effectiveHeaders["Content-Length"] == nil)
        request.headers = ["Content-Length": "nine"]
        #expect(throws: Endpoint.Error.reservedHeader(name: "Content-Length")) {
            try request.validate()
        }
    }

    @Test(arguments: ["", "GE T", "GET\r\nX: y", "GET ", "GÉT"])
    func methodsThatAreNoTokensAreRefused(method: String) {
        #expect(throws: Endpoint.Error.invalidMethod(method)) {
            try endpoint(method: .init(rawValue: method)).validate()
        }
    }

    @Test(arguments: [HTTPMethod.get, .head, .trace])
    func someMethodsCarryNoBody(method: HTTPMethod) {
        #expect(throws: Endpoint.Error.bodyNotAllowed(method: method)) {
            try endpoint(method: method, body: .data(Data([1]))).validate()
        }
        #expect(throws: Never.self) { try endpoint(method: method, body: .data(Data())).validate() }
    }

    @Test func errorsSayWhatToDoAndShowNoControlCharacters() {
        let errors: [Endpoint.Error] = [
            .invalidURL, .invalidHeader(name: "A\r\n\u{1B}"), .invalidMethod("B\0"),
            .bodyNotAllowed(method: .get),
        ]
        let words = ["base", "\"A\\r\\n\\u{1B}\"", "\"B\\0\"", "queryItems"]
        for (error, word) in zip(errors, words) {
            let text = "\(error)"
            #expect(text.contains(word), "\(text)")
            #expect(text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        }
    }
}
