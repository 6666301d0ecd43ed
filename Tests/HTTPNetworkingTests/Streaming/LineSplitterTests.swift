import Foundation
import PledgeServices
import Testing

@testable import PledgeHTTPNetworking

@Suite struct LineSplitterTests {
    private func lines(of chunks: [String], limit: Int = 100) throws -> [String] {
        var splitter = LineSplitter(limit: limit)
        var lines = try chunks.flatMap { try splitter.lines(endingIn: Data($0.utf8)) }
        if let last = splitter.lastLine() { lines.append(last) }
        return lines
    }

    @Test(arguments: [
        (["a\nb\n"], ["a", "b"]), (["a\r\nb\r\n"], ["a", "b"]), (["a\rb\r"], ["a", "b"]),
        (["a\n\nb"], ["a", "", "b"]), (["a\r\n\r\nb"], ["a", "", "b"]),
        (["a\n\rb"], ["a", "", "b"]),
        (["a\r", "\nb"], ["a", "b"]), (["a\r", "", "\n\nb"], ["a", "", "b"]),
        (["a", "b\nc", "d"], ["ab", "cd"]), ([""], []), (["\n"], [""]), ([], []),
    ])
    func aLineEndsWithLineFeedCarriageReturnOrBoth(chunks: [String], expected: [String]) throws {
        #expect(try lines(of: chunks) == expected)
    }

    @Test func aCharacterThatIsCutByAChunkIsWhole() throws {
        let bytes = Data("größe €\n".utf8)
        var splitter = LineSplitter(limit: 100)
        let found = try bytes.flatMap { try splitter.lines(endingIn: Data([$0])) }
        #expect(found == ["größe €"])
    }

    @Test func aLineThatIsTooLongIsAnError() throws {
        #expect(try lines(of: ["1234\n1234"], limit: 4) == ["1234", "1234"])
        for chunks in [["12345\n"], ["123", "45"], ["12345"]] {
            let error = #expect(throws: HTTPError.self) { try lines(of: chunks, limit: 4) }
            #expect(error?.code == .bodyTooLarge)
            #expect("\(try #require(error))".contains("a line has more than 4 bytes"))
        }
    }

    /// For any chunks, the lines are those of the undivided text.
    @Test func chunksMakeNoDifference() throws {
        let random = RandomSource.seeded(7)
        for _ in 0..<2_000 {
            let text = Data(
                (0..<(random.next() % 40)).map { _ in
                    [10, 13, 97, 0xC3, 0xA4][Int(random.next() % 5)]
                })
            var whole = LineSplitter(limit: 100)
            var pieces = LineSplitter(limit: 100)
            var expected = try whole.lines(endingIn: text)
            var found: [String] = []
            var rest = text
            while !rest.isEmpty {
                let count = Int(random.next() % UInt64(rest.count)) + 1
                found += try pieces.lines(endingIn: rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            expected += [whole.lastLine()].compactMap(\.self)
            found += [pieces.lastLine()].compactMap(\.self)
            #expect(found == expected)
            let plain = String(decoding: text, as: UTF8.self).replacing("\r\n", with: "\n")
                .unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" }
            #expect(expected == plain.map { String($0) }.droppingEmptyLast())
        }
    }
}

extension LineSplitter {
    /// The lines that end within the next chunk.
    fileprivate mutating func lines(endingIn chunk: Data) throws(HTTPError) -> [String] {
        var lines: [String] = []
        try feed(chunk, to: &lines)
        return lines
    }
}

extension [String] {
    /// Without a last empty element, which is the text after the last terminator.
    fileprivate func droppingEmptyLast() -> [String] { last == "" ? dropLast() : self }
}
