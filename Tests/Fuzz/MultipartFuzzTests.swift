import Foundation
import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPMessages
import TestSupport
import Testing

@Suite(.oneAtATime) struct MultipartFuzzTests {
    /// What was read: each part's headers and bytes, and how it ended.
    private struct Reading: Equatable {
        var parts: [(HTTPHeaders, Data)] = []
        var failed = false

        static func == (left: Reading, right: Reading) -> Bool {
            left.failed == right.failed && left.parts.elementsEqual(right.parts, by: ==)
        }
    }

    private func read(_ body: Data, chunksOf size: Int) -> Reading {
        let reader = MultipartReader(HTTPBodyStream(body, chunksOf: size), boundary: "B")
        var reading = Reading()
        while true {
            switch reader.next().result {
            case .success(let part?):
                guard case .success(let data) = part.body.collected(upTo: 1 << 20).result else {
                    reading.failed = true
                    return reading
                }
                reading.parts.append((part.headers, data))
            case .success(nil): return reading
            case .failure, nil:
                reading.failed = true
                return reading
            }
        }
    }

    @Test func howABodyIsCutIntoChunksMakesNoDifference() throws {
        var inputs = Mutator(
            corpus: try corpus(named: "multipart"),
            words: ["--B", "--B--", "\r\n\r\n", "\r\n--B\r\n", "Content-Type: a/b", "-", "B"],
            delimiters: "\r\n-:B", seed: 8)
        var parts = 0
        for _ in 0..<fuzzInputCount() {
            let body = Data(inputs.next())
            let whole = read(body, chunksOf: max(1, body.count))
            parts += whole.parts.count
            #expect(read(body, chunksOf: 1) == whole, "\(Array(body))")
            #expect(read(body, chunksOf: 3) == whole, "\(Array(body))")
        }
        #expect(parts > fuzzInputCount() / 10)
    }

    @Test func whatIsWrittenIsReadAgain() throws {
        var inputs = Mutator(
            corpus: try corpus(named: "multipart"), words: ["\r\n--", "\"", "%0D", "name"],
            delimiters: "\r\n-:B\"", seed: 9)
        for _ in 0..<fuzzInputCount() / 10 {
            let data = Data(inputs.next())
            let form = Multipart([.data("a", data), .data("b", Data())])
            let body = try HTTPRequest.Body.multipart(form).open().collected(upTo: 1 << 20)
            let bytes = try #require(try body.result?.get())
            let reader = MultipartReader(HTTPBodyStream(bytes), boundary: form.boundary)
            for expected in [data, Data()] {
                let part = try #require(try reader.next().result?.get())
                #expect(try part.body.collected(upTo: 1 << 20).result?.get() == expected)
            }
            #expect(try reader.next().result?.get() == nil)
        }
    }
}
