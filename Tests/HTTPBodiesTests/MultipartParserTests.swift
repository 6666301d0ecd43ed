import Foundation
import HTTPTestSupport
import PledgeHTTPMessages
import TestSupport
import Testing

@testable import PledgeHTTPBodies

@Suite(.oneAtATime) struct MultipartParserTests {
    /// The contents of a body as text: parts with their headers and bytes, then how it ended.
    private func parsed(
        _ body: Data, in sizes: [Int] = [], limits: MultipartReader.Limits = .init()
    ) -> [String] {
        var parser = MultipartParser(boundary: "B", limits: limits)
        var words: [String] = []
        var rest = body
        var sizes = sizes
        do {
            while !rest.isEmpty {
                let chunk = Data(rest.prefix(sizes.isEmpty ? rest.count : sizes.removeFirst()))
                rest = rest.dropFirst(chunk.count)
                var events: [MultipartParser.Event] = []
                defer { for event in events { add(event, to: &words) } }
                try parser.feed(chunk, to: &events)
            }
            try parser.finish()
            words.append("end")
        } catch {
            words.append(error.code.rawValue)
        }
        return words
    }

    private func add(_ event: MultipartParser.Event, to words: inout [String]) {
        switch event {
        case .part(let headers):
            words.append("part" + headers.map { " \($0.name)=\($0.value)" }.joined())
            words.append("")
        // A character for each byte, since chunks end anywhere.
        case .bytes(let data):
            words[words.count - 1] += data.map { String(UnicodeScalar($0)) }.joined()
        case .partEnd: break
        }
    }

    private func parsed(_ text: String, limits: MultipartReader.Limits = .init()) -> [String] {
        parsed(Data(text.utf8), limits: limits)
    }

    @Test(arguments: [
        ("--B\r\nA: b\r\n\r\nc\r\n--B--", ["part A=b", "c", "end"]),
        ("--B\r\n\r\nc\r\n--B--\r\n", ["part", "c", "end"]),
        ("--B\r\n\r\n\r\n--B--", ["part", "", "end"]),
        ("--B\r\nA: b\r\n\r\n\r\n--B--", ["part A=b", "", "end"]),
        ("--B--", ["end"]),
        (
            "preamble\r\nx\r\n--B\r\n\r\n1\r\n--B\r\n\r\n2\r\n--B--epilogue",
            ["part", "1", "part", "2", "end"]
        ),
        ("--B \t\r\nA:b\r\nC:  d \r\n\r\n\r\n\r\n--B-- ", ["part A=b C=d", "\r\n", "end"]),
        (
            "--B\r\n\r\n--B is here\r\n -B\r\n-\r\n--\r\n--B--",
            ["part", "--B is here\r\n -B\r\n-\r\n--", "end"]
        ),
        ("--B\r\n\r\n\r\r\r\n--B--", ["part", "\r\r", "end"]),
        ("--B\r\nA: ü\r\n\r\n\r\n--B--", ["part A=ü", "", "end"]),
    ])
    func thePartsOfABodyAreToldApart(_ body: String, _ expected: [String]) {
        #expect(parsed(body) == expected)
    }

    @Test(arguments: [
        ("", [MultipartError.Code.truncated]),
        ("no boundary", [.truncated]),
        ("x--B--", [.truncated]),
        ("--B\n\nc\n--B--", [.badDelimiter]),
        ("--Bx\r\n\r\nc\r\n--B--", [.badDelimiter]),
        ("--B-x\r\n\r\nc\r\n--B--", [.badDelimiter]),
        ("--B\r\nA b\r\n\r\nc\r\n--B--", [.badHeader]),
        ("--B\r\n: b\r\n\r\nc\r\n--B--", [.badHeader]),
        ("--B\r\nA : b\r\n\r\nc\r\n--B--", [.badHeader]),
        ("--B\r\nA: b\nC: d\r\n\r\nc\r\n--B--", [.badHeader]),
        ("--B\r\nA: b\r\n c\r\n\r\nc\r\n--B--", [.badHeader]),
        ("--B\r\nA: \0\r\n\r\nc\r\n--B--", [.badHeader]),
        ("--B\r\nA: b\r\n", [.truncated]), ("--B", [.truncated]), ("--B-", [.truncated]),
    ])
    func aMalformedMultipartBodyIsRefused(_ body: String, _ codes: [MultipartError.Code]) {
        #expect(parsed(body) == codes.map(\.rawValue))
    }

    @Test func aBodyThatIsCutOffIsNeverWhole() {
        let body = Data("--B\r\nA: b\r\n\r\nc\r\n--B\r\n\r\nd\r\n--B--".utf8)
        #expect(parsed(body).last == "end")
        for count in 0..<body.count {
            #expect(parsed(body.prefix(count)).last == MultipartError.Code.truncated.rawValue)
        }
    }

    @Test func headersThatAreNoTextAreRefused() {
        let body = Data("--B\r\nA: ".utf8) + Data([0xFF]) + Data("\r\n\r\n\r\n--B--".utf8)
        #expect(parsed(body) == [MultipartError.Code.badHeader.rawValue])
    }

    @Test func theLimitsOfAMultipartBodyHold() {
        let limits = MultipartReader.Limits(headerBytes: 4, parts: 2, outsideBytes: 3)
        func code(_ body: String) -> String? { parsed(body, limits: limits).last }
        #expect(code("abc\r\n--B--") == "end")
        #expect(code("abcd\r\n--B--") == MultipartError.Code.textTooLong.rawValue)
        #expect(code("--B--abc") == "end")
        #expect(code("--B--abcd") == MultipartError.Code.textTooLong.rawValue)
        #expect(code("--B\r\nA: b\r\n\r\n\r\n--B--") == "end")
        #expect(
            code("--B\r\nA: bc\r\n\r\n\r\n--B--") == MultipartError.Code.headersTooLong.rawValue)
        #expect(code("--B\r\nA: bcdefgh") == MultipartError.Code.headersTooLong.rawValue)
        let part = "--B\r\n\r\n\r\n"
        #expect(code(part + part + "--B--") == "end")
        #expect(code(part + part + part + "--B--") == MultipartError.Code.tooManyParts.rawValue)
        let padding = "--B" + String(repeating: " ", count: 300)
        #expect(code(padding) == MultipartError.Code.badDelimiter.rawValue)
    }

    /// A body has the same contents for all divisions into chunks; and a body that is nearly valid does not
    /// make the parser trap, or keep too much.
    @Test func howAMultipartBodyIsChunkedMakesNoDifference() {
        var random = SeededGenerator(seed: 11)
        let pieces = [
            "--B", "\r\n", "\r", "\n", "--", "-", "A: b", ":", " ", "x", "\r\n--B\r\n", "\r\n\r\n",
            "\r\n--B--", "é",
        ]
        var ends: Set<String> = []
        for _ in 0..<4_000 {
            let count = Int.random(in: 0...14, using: &random)
            var text = Bool.random(using: &random) ? "--B\r\n" : ""
            for _ in 0..<count { text += pieces.randomElement(using: &random) ?? "" }
            if Bool.random(using: &random) { text += "\r\n--B--" }
            let body = Data(text.utf8)
            let whole = parsed(body)
            ends.insert(whole.last ?? "")
            let sizes = body.map { _ in Int.random(in: 1...4, using: &random) }
            #expect(parsed(body, in: sizes) == whole, "of \(text.debugDescription)")
            #expect(parsed(body, in: body.map { _ in 1 }) == whole, "of \(text.debugDescription)")
        }
        #expect(ends.count >= 4)
    }
}
