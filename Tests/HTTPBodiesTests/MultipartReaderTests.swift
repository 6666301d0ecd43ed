import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPMessages
import PledgeServices
import TestSupport
import Testing

@Suite struct MultipartReaderTests {
    private func reader(_ texts: [String]) -> MultipartReader {
        MultipartReader(HTTPBodyStream(texts: texts), boundary: "B")
    }

    @Test func partsAreReadOneAfterTheOther() async throws {
        let reader = reader(["--B\r\nA: 1\r\n\r\na", "bc\r\n--B\r\nA: 2\r\n\r\nd\r\n--B", "--"])
        var read: [String] = []
        for try await part in reader {
            let data = try await part.body.collected(upTo: 9).value
            read.append("\(part.headers["A"] ?? "")=\(String(decoding: data, as: UTF8.self))")
        }
        #expect(read == ["1=abc", "2=d"])
        #expect(reader.next().isAtEnd)
    }

    @Test func aPartThatIsNotReadIsPassedOver() {
        let reader = reader(["--B\r\n\r\na", "b\r\n--B\r\n\r\nc\r\n--B\r\n\r\nd\r\n--B--"])
        let first = reader.next().success??.body
        #expect(first?.next().text == "a")
        let second = reader.next().success??.body
        #expect(first?.next().failure is CancellationError)
        second?.cancel()
        #expect(reader.next().success??.body.collected(upTo: 9).success == Data("d".utf8))
        #expect(reader.next().isAtEnd)
    }

    @Test func aMalformedBodyFailsAfterTheGoodParts() {
        let source = ScriptedSource()
        let reader = MultipartReader(source.stream(), boundary: "B")
        let first = reader.next()
        source.give("--B\r\n\r\na\r\n--B\r\nbad\r\n\r\n")
        #expect(first.success??.body.collected(upTo: 9).success == Data("a".utf8))
        for _ in 0..<2 {
            #expect(
                ((reader.next().failure as? HTTPError)?.cause as? MultipartError)?.code
                    == .badHeader)
        }
        #expect(source.cancelled == 1)
    }

    @Test(arguments: [0, 1]) func aCancelledTaskGetsNoFurtherPart(read: Int) async throws {
        let source = ScriptedSource()
        let reader = MultipartReader(source.stream(), boundary: "B")
        let first = reader.next()
        source.give("--B\r\n\r\na\r\n--B\r\n\r\nb\r\n--B\r\n\r\nc")
        #expect(first.success != nil)
        if read == 1 { #expect(first.success??.body.next().text == "a") }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var parts = reader.makeAsyncIterator()
            return try await parts.next()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(source.cancelled == 1)
        #expect(reader.next().failure is CancellationError)
    }

    @Test func anErrorOfTheBodyComesThrough() {
        let source = ScriptedSource()
        let reader = MultipartReader(source.stream(), boundary: "B")
        let part = reader.next()
        source.give("--B\r\n\r\na")
        let body = part.success??.body
        #expect(body?.next().text == "a")
        let chunk = body?.next()
        source.last?.reject(with: Broken())
        #expect(chunk?.failure is Broken)
        #expect(reader.next().failure is Broken)
    }

    @Test func anEndThatComesTooSoonFailsThePartsBody() {
        let reader = reader(["--B\r\n\r\na"])
        let body = reader.next().success??.body
        #expect(
            ((body?.collected(upTo: 9).failure as? HTTPError)?.cause as? MultipartError)?.code
                == .truncated)
    }

    @Test func onePartIsReadAtATime() {
        let source = ScriptedSource()
        let reader = MultipartReader(source.stream(), boundary: "B")
        let part = reader.next()
        #expect(reader.next().failureCode == .bodyIsBeingRead)
        source.give("--B\r\n\r\n")
        let chunk = part.success??.body.next()
        #expect(reader.next().failureCode == .bodyIsBeingRead)
        source.give("a\r\n--B--")
        #expect(chunk?.text == "a")
    }

    @Test func cancellingReachesTheBody() {
        let source = ScriptedSource()
        let reader = MultipartReader(source.stream(), boundary: "B")
        reader.next().cancel()
        #expect(source.cancelled == 1)
        #expect(reader.next().failure is CancellationError)
        let unread = ScriptedSource()
        _ = MultipartReader(unread.stream(), boundary: "B")
        #expect(unread.cancelled == 1)
    }

    @Test func aResponseNamesTheBoundary() throws {
        let body = HTTPBodyStream(texts: ["--x y\r\n\r\na\r\n--x y--"])
        let response = HTTPStreamedResponse(
            status: 206, headers: ["Content-Type": "multipart/byteranges; boundary=\"x y\""],
            body: body)
        let part = try MultipartReader(response).next()
        #expect(part.success??.body.collected(upTo: 9).success == Data("a".utf8))
        let other = HTTPStreamedResponse(status: 200, body: HTTPBodyStream(Data()))
        let error = #expect(throws: HTTPError.self) { try MultipartReader(other) }
        #expect(error?.code == .malformedMultipart)
        #expect((error?.cause as? MultipartError)?.code == .noBoundary)
    }

    /// Everything that is written is read back, for all contents and chunks.
    @Test func aFormIsReadBackAsItWasWritten() async throws {
        var random = SeededGenerator(seed: 5)
        let alphabet = ["\r", "\n", "-", "--", "\r\n", "a", "\"", "\0", "ü", "pledge-"]
        for round in 0..<150 {
            let texts = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                (0..<Int.random(in: 0...12, using: &random))
                    .map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
            }
            let form = Multipart(
                texts.map { .text($0, $0) },
                random: RandomSource(SeededGenerator(seed: UInt64(round))))
            let body = try HTTPRequest.Body.multipart(form)
            let data = try await body.open().collected(upTo: .max).value
            let size = Int.random(in: 1...20, using: &random)
            let reader = MultipartReader(
                HTTPBodyStream(data, chunksOf: size), boundary: form.boundary)
            var read: [String] = []
            for try await part in reader {
                let bytes = try await part.body.collected(upTo: .max).value
                read.append(String(decoding: bytes, as: UTF8.self))
            }
            #expect(read == texts)
        }
    }
}

extension Future<MultipartReader.Part?> {
    fileprivate var isAtEnd: Bool {
        guard case .success(nil) = result else { return false }
        return true
    }
}

@Suite struct MultipartReaderBoundaryTests {
    @Test(arguments: [
        ("multipart/form-data; boundary=abc", "abc"),
        ("Multipart/Mixed;BOUNDARY=abc", "abc"),
        ("multipart/mixed; charset=utf-8; boundary=\"a b;c\"; x=y", "a b;c"),
        ("multipart/mixed; x=\"; boundary=no\"; boundary=yes ", "yes"),
        ("multipart/mixed; boundary=\"a\\\"b\"", "a\"b"),
        ("multipart/mixed; x; boundary=a", "a"),
    ])
    func theBoundaryOfAContentTypeIsFound(_ type: String, _ boundary: String) {
        #expect(MultipartReader.boundary(in: type) == boundary)
    }

    @Test(arguments: [
        "", "text/plain; boundary=a", "multipart/mixed", "multipart/mixed; boundary",
        "multipart/mixed; boundary=", "multipart/mixed; boundary=\"\"",
        "multipart/mixed; boundary=\"a", "multipart/mixed; boundary=\"a \"",
        "multipart/mixed; boundary=\"a\r\"", "multipart/mixed; boundary=ü",
        "multipart/mixed; boundary=" + String(repeating: "a", count: 71),
    ])
    func aContentTypeWithoutAValidBoundaryHasNone(_ type: String) {
        #expect(MultipartReader.boundary(in: type) == nil)
    }
}
