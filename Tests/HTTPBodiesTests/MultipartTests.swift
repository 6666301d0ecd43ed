import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPBodies

@Suite struct MultipartTests {
    /// Returns the same bits again and again.
    struct Constant: RandomNumberGenerator {
        func next() -> UInt64 { 7 }
    }

    @Test func theBoundaryComesFromTheRandomSource() {
        func boundary(_ seed: UInt64) -> String {
            Multipart([], random: RandomSource(SeededGenerator(seed: seed))).boundary
        }
        #expect(boundary(1) == boundary(1))
        #expect(boundary(1) != boundary(2))
        #expect(Multipart([]).boundary != Multipart([]).boundary)
        #expect(boundary(1).utf8.count == 39)
    }

    @Test func theBoundaryStandsInNoPartThatIsInMemory() {
        let random = RandomSource(Constant())
        let first = "pledge-00000000000000070000000000000007"
        #expect(Multipart([.text("a", "b")], random: random).boundary == first)
        let parts: [Multipart.Part] = [
            .text("a", "x\(first)-1"), .data("b", Data("\(first)-2 \(first)".utf8)),
        ]
        // The search for a boundary ends although the generator returns nothing new.
        #expect(Multipart(parts, random: random).boundary == "\(first)-3")
    }

    @Test func theContentTypeNamesTheBoundary() {
        let form = Multipart([])
        #expect(form.contentType == "multipart/form-data; boundary=\(form.boundary)")
        #expect(MultipartReader.boundary(in: form.contentType) == form.boundary)
        #expect(Multipart([], subtype: "related").contentType.hasPrefix("multipart/related;"))
    }

    @Test func theTextOfAMultipartBodyShowsNothingOfItsParts() {
        let part = Multipart.Part.data("secret", Data("secret".utf8), filename: "secret")
        let form = Multipart([part, .text("secret", "secret")])
        var dumped = ""
        dump(form, to: &dumped)
        dump(part, to: &dumped)
        for text in ["\(form)", "\(part)", String(reflecting: form), dumped] {
            #expect(!text.contains("secret"))
        }
        #expect("\(form)" == "multipart/form-data of 2 parts")
        #expect("\(part)" == "a part: 6 bytes of application/octet-stream")
    }
}

@Suite struct HTTPRequestMultipartTests {
    let random = RandomSource(SeededGenerator(seed: 7))

    private func text(_ form: Multipart) throws -> String {
        let body = try HTTPRequest.Body.multipart(form)
        let data = try #require(body.open().collected(upTo: .max).success)
        #expect(body.length == Int64(data.count))
        #expect(body.contentType == form.contentType)
        return String(decoding: data, as: UTF8.self)
            .replacingOccurrences(of: form.boundary, with: "B")
    }

    @Test func aMultipartBodyIsWrittenAsTheStandardSays() throws {
        let form = Multipart(
            [
                .text("title", "Grüße"),
                .data("data", Data("{}".utf8), filename: "a.json", contentType: "application/json"),
                .text("empty", ""),
            ], random: random)
        let expected = """
            --B
            Content-Disposition: form-data; name="title"

            Grüße
            --B
            Content-Disposition: form-data; name="data"; filename="a.json"
            Content-Type: application/json

            {}
            --B
            Content-Disposition: form-data; name="empty"


            --B--

            """
        #expect(try text(form) == expected.replacingOccurrences(of: "\n", with: "\r\n"))
    }

    @Test func aMultipartBodyWithoutPartsIsTheLastBoundary() throws {
        #expect(try text(Multipart([], random: random)) == "--B--\r\n")
    }

    @Test func otherKindsHaveTheHeadersThatTheyAreGiven() throws {
        let root = Multipart.Part(
            headers: ["Content-ID": "<root>", "Content-Type": "text/html"],
            body: .data(Data("<p>".utf8), contentType: "text/plain"))
        let form = Multipart(
            [root, Multipart.Part(body: .none)], subtype: "related", random: random)
        #expect(
            try text(form)
                == "--B\r\nContent-ID: <root>\r\nContent-Type: text/html\r\n\r\n<p>\r\n--B\r\n\r\n\r\n--B--\r\n"
        )
    }

    @Test func aHeaderThatCannotBeSentIsRefused() {
        let type = Multipart.Part.data("a", Data(), contentType: "text/plain\r\nX: y")
        #expect(throws: Endpoint.Error.invalidHeader(name: "Content-Type")) {
            try HTTPRequest.Body.multipart(Multipart([type]))
        }
        let name = Multipart.Part(headers: ["a b": "c"], body: .none)
        #expect(throws: Endpoint.Error.invalidHeader(name: "a b")) {
            try HTTPRequest.Body.multipart(Multipart([name]))
        }
        #expect(throws: Endpoint.Error.invalidHeader(name: "Content-Type")) {
            try HTTPRequest.Body.multipart(Multipart([], subtype: "x\r\n"))
        }
    }

    @Test func itIsAsReplayableAsItsParts() throws {
        let once = HTTPRequest.BodySource(length: 1, isReplayable: false) {
            HTTPBodyStream(texts: ["a"])
        }
        let body = try HTTPRequest.Body.multipart(Multipart([.stream("a", once)]))
        #expect(!body.isReplayable)
        #expect(body.length != nil)
        let again = try HTTPRequest.Body.multipart(Multipart([.text("a", "b")]))
        #expect(again.isReplayable)
        let two = try (0..<2).map { _ in try again.open().collected(upTo: 999).success }
        #expect(two[0] == two[1] && two[0] != nil)
    }

    @Test func withoutAPartsLengthThereIsNone() throws {
        let source = HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(texts: ["ab"]) }
        let body = try HTTPRequest.Body.multipart(Multipart([.stream("a", source)]))
        #expect(body.length == nil)
        let text = try #require(body.open().collected(upTo: 999).success)
        #expect(String(decoding: text, as: UTF8.self).contains("\r\n\r\nab\r\n--"))
    }

    @Test func aPartOfAnotherLengthThanAnnouncedFails() throws {
        for texts in [["a"], ["abcd"]] {
            let source = HTTPRequest.BodySource(length: 3, isReplayable: true) {
                HTTPBodyStream(texts: texts)
            }
            let body = try HTTPRequest.Body.multipart(Multipart([.stream("a", source)]))
            #expect(try body.open().collected(upTo: 999).failureCode == .bodyLengthMismatch)
        }
    }

    /// Two files of 20 MB pass, and no chunk is larger than 64 KiB; the second is opened when the first
    /// is closed.
    @Test func filesAreReadWhileTheyAreSent() async throws {
        let folder = try TestFolder()
        let files = try ["a", "b"].map { name in
            try folder.file(name, Data(repeating: 1, count: 20_000_000))
        }
        let body = try HTTPRequest.Body.multipart(
            Multipart([.file("x", files[0]), .file("y", files[1])]))
        let length = try #require(body.length)
        let (sum, most) = (Locked<Int64>(0), Locked(0))
        let stream = try body.open()
        #expect(TestFolder.descriptors(of: files[0]).isEmpty)
        _ = try await stream.next().value
        _ = try await stream.next().value
        #expect(TestFolder.descriptors(of: files[0]).count == 1)
        #expect(TestFolder.descriptors(of: files[1]).isEmpty)
        let before: Int64 = 65_536
        try await stream.forEach { chunk in
            sum.withLock { $0 += Int64(chunk.count) }
            most.withLock { $0 = max($0, chunk.count) }
            return Future(value: ())
        }.value
        #expect(most.withLock { $0 } == 65_536)
        let head = length - sum.withLock { $0 } - before
        #expect(0 < head && head < 300)
    }

    @Test func aFileThatHasChangedSinceFailsTheBody() async throws {
        let folder = try TestFolder()
        for changed in ["ab", "abcd"] {
            let file = try folder.file("a", Data("abc".utf8))
            let body = try HTTPRequest.Body.multipart(Multipart([.file("a", file)]))
            _ = try folder.file("a", Data(changed.utf8))
            let sent = try await body.open().collected(upTo: 999).resultWhenSettled
            let error = #expect(throws: HTTPError.self) { try sent.get() }
            #expect(error?.code == .bodyLengthMismatch)
        }
    }

    @Test func aMissingFileFailsTheBody() throws {
        let file = try TestFolder().file("missing")
        let body = try HTTPRequest.Body.multipart(Multipart([.text("a", "b"), .file("c", file)]))
        #expect(body.length == nil)
        #expect(try body.open().collected(upTo: 999).failureCode == .bodyUnreadable)
    }
}

@Suite struct MultipartPartTests {
    private func disposition(_ part: Multipart.Part) -> String? {
        part.headers["Content-Disposition"]
    }

    @Test func aFieldHasItsNameAndAFileItsNames() throws {
        let file = URL(fileURLWithPath: "/tmp/photo.jpg")
        #expect(disposition(.text("a", "b")) == "form-data; name=\"a\"")
        #expect(disposition(.data("a", Data())) == "form-data; name=\"a\"")
        #expect(
            disposition(.data("a", Data(), filename: "b"))
                == "form-data; name=\"a\"; filename=\"b\"")
        #expect(disposition(.file("a", file)) == "form-data; name=\"a\"; filename=\"photo.jpg\"")
        #expect(
            disposition(.file("a", file, filename: "c"))
                == "form-data; name=\"a\"; filename=\"c\"")
        #expect(Multipart.Part.text("a", "b").body.contentType == nil)
        #expect(Multipart.Part.data("a", Data()).body.contentType == "application/octet-stream")
    }

    @Test(arguments: [
        ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\nb\rc", "a%0Ab%0Dc"), ("\\\"", "\\%22"),
        ("%22", "%22"), ("ä ü 🎉", "ä ü 🎉"), ("a\0b\u{7F}", "a%00b%7F"), ("\u{85}", "%C2%85"),
        ("", ""), ("a;b=c", "a;b=c"),
    ])
    func theNamesOfPartsAreEscaped(_ name: String, _ escaped: String) {
        let part = Multipart.Part.data(name, Data(), filename: name)
        let expected = "form-data; name=\"\(escaped)\"; filename=\"\(escaped)\""
        #expect(disposition(part) == expected)
        #expect(HTTPHeaders.isValid(name: "Content-Disposition", value: expected))
    }
}
