import Foundation
import HTTPTestSupport
import PledgeHTTPBodies
import PledgeHTTPNetworking
import Testing

@Suite struct HTTPRequestBodyTests {
    @Test func noDumpShowsAByte() throws {
        let secret = Data("s3cret".utf8)
        let source = HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(secret) }
        let bodies: [HTTPRequest.Body] = [
            .data(secret), try .json(["a": "s3cret"]), .stream(source),
            .form([URLQueryItem(name: "a", value: "s3cret")]),
            try .multipart(Multipart([.data("a", secret), .text("b", "s3cret")])),
        ]
        // An array of bytes is dumped as numbers, and Data by its length and its first bytes.
        let numbers = secret.map { "\($0)" }
        for body in bodies {
            let request = HTTPRequest(.post, try #require(URL(string: "https://h/")), body: body)
            let endpoint = Endpoint(path: "/", method: .post, body: .data(secret))
            for text in [dumped(body), dumped(body.content), dumped(request), dumped(endpoint)] {
                #expect(!text.contains("s3cret"), "\(text)")
                #expect(!numbers.allSatisfy { text.contains($0) }, "\(text)")
                #expect(!text.contains("pointer"), "\(text)")
            }
            for text in texts(of: body.content) { #expect(!text.contains("s3cret"), "\(text)") }
        }
        #expect(HTTPRequest.Body.data(secret).content.description.hasPrefix("6 bytes"))
    }

    private func dumped(_ value: some Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text
    }
}
