import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPMessages
import Testing

@Suite struct HTTPRequestBodyTests {
    @Test func noDumpOfABodyShowsAByte() throws {
        let secret = Data("s3cret".utf8)
        let source = HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(secret) }
        let bodies: [HTTPRequest.Body] = [
            .data(secret), try .json(["a": "s3cret"]), .stream(source),
            .form(["a": "s3cret"]),
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

@Suite struct HTTPRequestBodyOpenTests {
    typealias Body = HTTPRequest.Body

    @Test func everyKindOfBodyOpensAsAStream() async throws {
        let folder = try TestFolder()
        let data = Data("abc".utf8)
        let source = HTTPRequest.BodySource(length: 3, isReplayable: true) {
            HTTPBodyStream(texts: ["a", "bc"])
        }
        let bodies: [(Body, Data)] = [
            (.none, Data()), (.data(data), data), (.file(try folder.file("a", data)), data),
            (.stream(source), data),
        ]
        for (body, bytes) in bodies {
            for _ in 0..<2 {
                let stream = try body.open()
                #expect(stream.length == Int64(bytes.count))
                #expect(body.length == Int64(bytes.count))
                #expect(try await stream.collected(upTo: .max).value == bytes)
            }
        }
    }

    @Test func aSourceThatCanBeReadOnceIsOpenedOnce() throws {
        let body = Body.stream(
            HTTPRequest.BodySource(isReplayable: false) { HTTPBodyStream(texts: ["a"]) })
        #expect(body.length == nil)
        #expect(try body.open().length == nil)
        let error = #expect(throws: HTTPError.self) { try body.open() }
        #expect(error?.code == .bodyNotReplayable)
    }

    @Test(arguments: [["ab"], ["ab", "cd"]])
    func theAnnouncedLengthOfABodyIsChecked(_ texts: [String]) async throws {
        let announcedBySource = HTTPRequest.BodySource(length: 3, isReplayable: true) {
            HTTPBodyStream(texts: texts)
        }
        let announcedByStream = HTTPRequest.BodySource(isReplayable: true) {
            HTTPBodyStream(texts: texts, length: 3)
        }
        for source in [announcedBySource, announcedByStream] {
            let stream = try Body.stream(source).open()
            #expect(stream.length == 3)
            #expect(stream.collected(upTo: .max).failureCode == .bodyLengthMismatch)
        }
    }

    @Test func aBodyWithTwoLengthsIsRefused() {
        let source = HTTPRequest.BodySource(length: 3, isReplayable: true) {
            HTTPBodyStream(texts: [], length: 4)
        }
        let error = #expect(throws: HTTPError.self) { try Body.stream(source).open() }
        #expect(error?.code == .bodyLengthMismatch)
    }

    @Test func aMissingFileHasNoLength() throws {
        let body = Body.file(try TestFolder().file("missing"))
        #expect(body.length == nil)
        let error = #expect(throws: HTTPError.self) { try body.open() }
        #expect(error?.code == .bodyUnreadable)
    }

    @Test func whatOpeningThrowsArrivesUnchanged() {
        let source = HTTPRequest.BodySource(isReplayable: true) { throw Broken() }
        #expect(throws: Broken.self) { try Body.stream(source).open() }
    }
}
