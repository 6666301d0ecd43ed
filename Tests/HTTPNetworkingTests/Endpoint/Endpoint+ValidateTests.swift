import Foundation
import HTTPAuthorization
import HTTPNetworking
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
