import Foundation
import PledgeHTTPMessages
import Testing

@testable import PledgeLibcurlTransport

struct HeadReaderTests {
    /// The result of reading lines.
    private struct Reading: Equatable {
        var status: Int?
        var fields: [String] = []
        var malformed: String?
        var isTooLarge = false
        /// The number of lines read, including the one that ended it.
        var lines = 0
    }

    /// Reads lines until one of them has a result.
    private func read(_ lines: [String], limit: Int = 1_000) -> Reading {
        read(lines.map { Array($0.utf8) }, limit: limit)
    }

    private func read(_ lines: [[UInt8]], limit: Int = 1_000) -> Reading {
        var reader = HeadReader(limit: limit)
        var reading = Reading()
        for line in lines {
            reading.lines += 1
            switch line.withUnsafeBytes({ reader.readLine($0) }) {
            case .more: continue
            case .head(let status, let headers):
                reading.status = status
                reading.fields = headers.map { "\($0.name)=\($0.value)" }
            case .malformed(let reason): reading.malformed = reason
            case .tooLarge: reading.isTooLarge = true
            }
            break
        }
        return reading
    }

    /// Reads the fields of a response.
    private func fields(_ lines: String...) -> [String] {
        read(["HTTP/1.1 200 OK\r\n"] + lines.map { $0 + "\r\n" } + ["\r\n"]).fields
    }

    @Test func readsAHead() {
        let lines = ["HTTP/1.1 404 Not Found\r\n", "A: 1\r\n", "b:2\r\n", "A: 3\r\n", "\r\n"]
        #expect(read(lines) == Reading(status: 404, fields: ["A=1", "b=2", "A=3"], lines: 5))
    }

    @Test func readsEachPrefixOfAHeadAsOneThatGoesOn() {
        let lines = ["HTTP/1.1 200 OK\r\n", "A: 1\r\n", " b\r\n", "C: 2\r\n", "\r\n"]
        for count in 0..<5 { #expect(read(Array(lines.prefix(count))) == Reading(lines: count)) }
    }

    @Test(arguments: ["\r\n", "\n"])
    func takesEitherEndOfALine(end: String) {
        let lines = ["HTTP/1.1 200 OK", "A: 1", ""].map { $0 + end }
        #expect(read(lines) == Reading(status: 200, fields: ["A=1"], lines: 3))
    }

    @Test func takesALineThatHasNoEnd() {
        #expect(read(["HTTP/2 200 ", "A: 1", "\r\n"]).fields == ["A=1"])
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK", 200), ("HTTP/1.0 599", 599), ("HTTP/2 204 ", 204), ("HTTP/3 999", 999),
        ("HTTP/1.1 200 a b c", 200),
    ])
    func readsAStatusLine(line: String, status: Int) {
        #expect(read([line + "\r\n", "\r\n"]).status == status)
    }

    @Test(arguments: [
        "", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 abc", "HTTP/1.1 099",
        "HTTP/1.1  200", "HTTX/1.1 200", "http/1.1 200", "200 OK", "HTTP/1.1\t200 OK",
        "HTTP/1.1 2x0",
        "HTTP/1.1 -20", "HTTP/1.1 ٢٠٠",
    ])
    func refusesWhatIsNoStatusLine(line: String) {
        let reading = read([line + "\r\n", "\r\n"])
        #expect(reading == Reading(malformed: "its first line is no status line", lines: 1))
    }

    @Test func refusesToChangeTheProtocol() {
        let reading = read(["HTTP/1.1 101 Switching Protocols\r\n"])
        #expect(reading == Reading(malformed: "it changes the protocol unasked", lines: 1))
    }

    @Test func passesInterimHeadsOver() {
        let interim = ["HTTP/1.1 103 Early Hints\r\n", "Link: </a>\r\n", "\r\n"]
        let lines = interim + interim + ["HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n"]
        #expect(read(lines) == Reading(status: 200, fields: ["A=1"], lines: 9))
    }

    @Test func countsInterimHeads() {
        let interim = ["HTTP/1.1 100 Continue\r\n", "\r\n"]
        let lines = Array(repeating: interim, count: 100).flatMap { $0 }
        #expect(read(lines, limit: 50).isTooLarge)
        #expect(read(lines, limit: 50).lines == 5)
    }

    @Test(arguments: [("A:", "A="), ("A: ", "A="), ("A:\t b \t", "A=b"), ("A: b:c", "A=b:c")])
    func trimsAValue(line: String, field: String) { #expect(fields(line) == [field]) }

    @Test func foldsALine() {
        #expect(fields("A: 1", "  2 ", "\t3", "B: 4") == ["A=1 2 3", "B=4"])
        #expect(fields("A:", " 1") == ["A=1"])
    }

    @Test func refusesAFoldedLineWithNothingBefore() {
        for line in [" A: 1", "\tA: 1", " "] {
            let reading = read(["HTTP/1.1 200 OK\r\n", line + "\r\n"])
            #expect(
                reading
                    == Reading(malformed: "the first field of its head is a folded line", lines: 2))
        }
    }

    @Test func doesNotFoldIntoAnInterimHead() {
        let lines = [
            "HTTP/1.1 103 Early Hints\r\n", "A: 1\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", " 2\r\n",
        ]
        #expect(read(lines).malformed == "the first field of its head is a folded line")
    }

    @Test(arguments: ["no colon", ":", ": value"])
    func refusesALineWithoutAColonAfterAName(line: String) {
        let reading = read(["HTTP/1.1 200 OK\r\n", line + "\r\n"])
        #expect(reading == Reading(malformed: "a line of its head has no colon", lines: 2))
    }

    @Test(arguments: ["A B: 1", "A : 1", "Ä: 1", "A\u{0}: 1", "\"a\": 1", "A(b): 1", "\rA: 1"])
    func dropsALineWhoseNameIsNoToken(line: String) {
        #expect(fields(line) == [])
        #expect(fields("B: 2", line, "C: 3") == ["B=2", "C=3"])
        #expect(fields("B: 2", line, " folded", "\tand: more", "C: 3", " 4") == ["B=2", "C=3 4"])
    }

    @Test func aDroppedLineOfAnInterimHeadHidesNoMistake() {
        let lines = [
            "HTTP/1.1 103 Early Hints\r\n", "A : 1\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", " 2\r\n",
        ]
        #expect(read(lines).malformed == "the first field of its head is a folded line")
    }

    /// RFC 9110, section 5.5.
    @Test(arguments: [
        ("A: 1\rB: 2", "A=1 B: 2"), ("A: 1\r", "A=1"), ("A: \r1\u{0}2", "A=1 2"),
        ("A: \u{1}\u{7F}", "A=\u{1}\u{7F}"), ("A: é\rB", "A=é B"),
    ])
    func whatCouldEndALineBecomesASpace(line: String, field: String) {
        #expect(fields(line) == [field])
        #expect(fields("A: 0", " 1\r2\u{0}3") == ["A=0 1 2 3"])
    }

    @Test func keepsTheBytesOfAValue() throws {
        var reader = HeadReader(limit: 1_000)
        let lines: [[UInt8]] = [
            Array("HTTP/1.1 200 OK\r\n".utf8), Array("A: ".utf8) + [0xE9, 0x85, 13, 0x80, 13, 10],
            Array("B: é\r\n".utf8), [9, 0xE9, 13, 10], Array("C: plain\r\n".utf8), [13, 10],
        ]
        for line in lines {
            guard case .head(_, let headers) = line.withUnsafeBytes({ reader.readLine($0) }) else {
                continue
            }
            #expect(headers.received("A").map(\.bytes) == [[0xE9, 0x85, 0x20, 0x80]])
            #expect(headers.received("B").map(\.bytes) == [[0xC3, 0xA9, 0x20, 0xE9]])
            #expect(headers.received("C").map(\.keptBytes) == [nil])
            return
        }
        Issue.record("no head")
    }

    @Test func readsUTF8AndWhatIsNoneAsLatin1() {
        let lines: [[UInt8]] = [
            Array("HTTP/1.1 200 OK\r\n".utf8), Array("A: é\r\n".utf8),
            Array("B: ".utf8) + [0xe9] + Array("t".utf8) + [0xe9, 13, 10], [13, 10],
        ]
        #expect(read(lines).fields == ["A=é", "B=été"])
    }

    @Test func readsAFoldedLineOfAnotherEncodingByItself() {
        let lines: [[UInt8]] = [
            Array("HTTP/1.1 200 OK\r\n".utf8), Array("A: é\r\n".utf8), [0x20, 0xe9, 13, 10],
            [13, 10],
        ]
        #expect(read(lines).fields == ["A=é é"])
    }

    @Test func boundsAHeadToTheByte() {
        let lines = ["HTTP/1.1 200 OK\r\n", "A: 1\r\n", "\r\n"]
        let size = lines.joined().utf8.count
        #expect(read(lines, limit: size).status == 200)
        #expect(read(lines, limit: size - 1) == Reading(isTooLarge: true, lines: 3))
        #expect(read(lines, limit: 1) == Reading(isTooLarge: true, lines: 1))
    }

    @Test func passesTrailersOverAndCountsThem() {
        var reader = HeadReader(limit: 60)
        func take(_ line: String) -> HeadReader.Event {
            Array(line.utf8).withUnsafeBytes { reader.readLine($0) }
        }
        _ = take("HTTP/1.1 200 OK\r\n")
        guard case .head(200, _) = take("\r\n") else { Issue.record("no head"); return }
        for _ in 0..<2 {
            guard case .more = take("X-Trailer: 1234\r\n") else {
                Issue.record("no trailer"); return
            }
        }
        guard case .tooLarge = take("X-Trailer: 1234\r\n") else {
            Issue.record("trailers have no bound")
            return
        }
    }

    @Test func aTrailerNeedNotBeAField() {
        var reader = HeadReader(limit: 100)
        for line in ["HTTP/1.1 200 OK\r\n", "\r\n"] {
            _ = Array(line.utf8).withUnsafeBytes { reader.readLine($0) }
        }
        for line in ["no colon\r\n", " folded\r\n", "HTTP/1.1 101 \r\n", "\r\n"] {
            let event = Array(line.utf8).withUnsafeBytes { reader.readLine($0) }
            guard case .more = event else { Issue.record("\(line) ends it"); return }
        }
    }

    @Test func survivesAnyLines() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("HTTP/1. 2034:\r\n\t".utf8) + [0, 0xff, 0xc3, 0xe9]
        for _ in 0..<2_000 {
            var reader = HeadReader(limit: 200)
            _ = Array("HTTP/1.1 200 OK\r\n".utf8).withUnsafeBytes { reader.readLine($0) }
            for _ in 0..<20 {
                let line = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    alphabet.randomElement(using: &random) ?? 0
                }
                if case .tooLarge = line.withUnsafeBytes({ reader.readLine($0) }) { break }
            }
        }
    }
}
