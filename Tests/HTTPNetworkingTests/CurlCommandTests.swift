import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPBodies
import TestSupport
import Testing

@testable import PledgeHTTPMessages
@testable import PledgeHTTPNetworking

@Suite(.oneAtATime) struct HTTPRequestCurlCommandTests {
    private let url = URL(string: "https://me:s3cret@a.example/p%20q?key=s3cret&n=1#s3cret")!

    private func read(_ request: HTTPRequest) throws -> ShellReader {
        try ShellReader(request.curlCommand(revealingSecrets: true))
    }

    @Test func aCurlCommandIsRedactedUnlessAsked() throws {
        let request = HTTPRequest(
            .post, url, headers: ["Authorization": "Bearer s3cret", "Accept": "a/b"],
            body: try .json(["name": "s3cret", "id": "7"]))
        #expect(
            request.curlCommand == #"""
                curl \
                  --request POST \
                  --url 'https://…@a.example/p%20q?key=…&n=…' \
                  --header 'Authorization: …' \
                  --header 'Accept: a/b' \
                  --header 'Content-Type: application/json' \
                  --data-binary '{"id":"…","name":"…"}'
                """#)
        #expect(
            try read(request).curl == [
                "curl", "--request", "POST", "--url",
                "https://me:s3cret@a.example/p%20q?key=s3cret&n=1",
                "--header", "Authorization: Bearer s3cret", "--header", "Accept: a/b",
                "--header", "Content-Type: application/json",
                "--data-binary", #"{"id":"7","name":"s3cret"}"#,
            ])
    }

    @Test func methodsAreAskedForAsCurlDoes() throws {
        let plain = URL(string: "https://a.example/")!
        #expect(HTTPRequest(.get, plain).curlCommand == "curl \\\n  --url https://a.example/")
        #expect(try read(HTTPRequest(.head, plain)).curl.contains("--head"))
        #expect(
            try read(HTTPRequest(.delete, plain)).values(of: "--request") == [Array("DELETE".utf8)])
        let odd = try read(HTTPRequest("a b", plain))
        #expect(odd.values(of: "--request") == [Array("a b".utf8)])
        #expect(odd.comments.count == 1 && odd.comments[0].contains("cannot be sent"))
    }

    @Test func whatMayComeCompressedIsDecompressed() {
        let request = HTTPRequest(url, headers: ["Accept-Encoding": "gzip, br"])
        #expect(
            request.curlCommand.hasSuffix(
                "--header 'Accept-Encoding: gzip, br' \\\n  --compressed"))
        #expect(!HTTPRequest(url).curlCommand.contains("--compressed"))
    }

    @Test func whatCurlWouldReadOtherwiseIsSaidOtherwise() throws {
        let odd = URL(string: "https://[::1]:8080/a/../b")!
        let request = HTTPRequest(
            .post, odd, headers: ["X-Empty": ""], body: .data(Data("@etc".utf8)))
        let read = try read(request)
        #expect(read.curl.contains("--globoff") && read.curl.contains("--path-as-is"))
        #expect(read.values(of: "--header").contains(Array("X-Empty;".utf8)))
        #expect(read.values(of: "--data-binary") == [Array("@-".utf8)])
        #expect(read.printed == Array("@etc".utf8))
    }

    @Test(arguments: [
        Data("a'b\"c`d$(e)\n\\f%g!h".utf8), Data([0, 1, 2, 255, 254, 37, 92, 39]), Data("@x".utf8),
        Data("a\0b".utf8), Data(String(repeating: "é'", count: 20_000).utf8), Data(),
        Data("-".utf8), Data("@\u{301}x".utf8), Data("'\u{301}; id #".utf8),
    ])
    func everyBodyIsReadAgain(body: Data) throws {
        let request = HTTPRequest(.put, url, body: .data(body))
        let read = try read(request)
        #expect(read.printed ?? read.values(of: "--data-binary").first == Array(body))
        // curl would read a file.
        #expect(read.printed != nil || !body.starts(with: Data("@".utf8)))
    }

    @Test func randomRequestsAreReadAgain() throws {
        var random = SeededGenerator(seed: 8)
        for _ in 0..<1_000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let value = String(decoding: bytes.filter { $0 > 31 && $0 < 127 }, as: UTF8.self)
            let request = HTTPRequest(
                .patch, url, headers: ["X-Key": value], body: .data(Data(bytes)))
            let read = try read(request)
            #expect(read.printed ?? read.values(of: "--data-binary").first == bytes)
            let trimmed = try #require(request.headers["X-Key"])
            let field = trimmed.isEmpty ? "X-Key;" : "X-Key: \(trimmed)"
            #expect(read.values(of: "--header").first == Array(field.utf8))
        }
    }

    @Test func aFileIsReadByCurl() throws {
        let file = URL(fileURLWithPath: "/tmp/it's a file")
        let request = HTTPRequest(.put, url, body: .file(file, contentType: "text/plain"))
        #expect(try read(request).values(of: "--data-binary") == [Array("@/tmp/it's a file".utf8)])
        #expect(request.curlCommand.hasSuffix(#"--data-binary '@/tmp/it'\''s a file'"#))
    }

    @Test func theBytesOfAMultipartBodyArePrinted() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "it's \(UUID()).txt")
        try Data("of a file".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let body = try HTTPRequest.Body.multipart(
            Multipart([.text("a", "it's 100%\\"), .file("b", file), .text("c", "")]))
        let command = HTTPRequest(.post, url, body: body).curlCommand(revealingSecrets: true)
        let sent = try await body.open().collected(upTo: 9_999).value
        #expect(command.contains("boundary=") && command.hasSuffix("--data-binary @-"))
        let source = try #require(command.firstRange(of: " | curl")).lowerBound
        #expect(try output(of: String(command[..<source])) == sent)
    }

    /// The output of a shell command.
    private func output(of command: String) throws -> Data {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).output")
        defer { try? FileManager.default.removeItem(at: file) }
        let shell = try ChildProcess(
            URL(fileURLWithPath: "/bin/sh"), ["-c", command], output: file)
        #expect(shell.wait() == 0)
        return try Data(contentsOf: file)
    }

    @Test func aCurlCommandDoesNotReadAStream() throws {
        let source = HTTPRequest.BodySource(length: 5, isReplayable: false) {
            Issue.record("it was opened")
            return HTTPBodyStream(Data())
        }
        let read = try read(HTTPRequest(.put, url, body: .stream(source)))
        #expect(
            read.comments == [
                " the body is a stream of 5 bytes of application/octet-stream, to be given on standard input"
            ])
        #expect(read.values(of: "--data-binary") == [Array("@-".utf8)])
    }

    @Test func bodiesAreRedactedByKind() throws {
        let form = HTTPRequest(.post, url, body: .form(["a": "s3cret"]))
        #expect(form.curlCommand.hasSuffix("--data-binary 'a=…'"))
        let text = HTTPRequest(
            .post, url, body: .data(Data("s3cret".utf8), contentType: "text/plain"))
        #expect(text.curlCommand.hasSuffix("--data-binary '…'"))
        let pair = HTTPRequest(.post, url, body: .data(Data("s3c=ret".utf8), contentType: "a/b"))
        #expect(pair.curlCommand.hasSuffix("--data-binary '…'"))
        let bytes = HTTPRequest(.post, url, body: .data(Data([0xFF]), contentType: "image/png"))
        #expect(bytes.curlCommand.hasPrefix("# the body is 1 bytes of image/png\ncurl"))
        #expect(bytes.curlCommand.hasSuffix("--data-binary '…'"))
        let code = HTTPRequest(.post, url, body: try .json(["code": "s3", "error": "x"]))
        #expect(code.curlCommand.hasSuffix(#"'{"code":"…","error":"…"}'"#))
    }

    @Test func aValueThatAShownHeaderRepeatsIsHidden() {
        let request = HTTPRequest(
            .get, url,
            headers: ["User-Agent": "x s3cret", "Cookie": "a=b4nana", "Accept": "b4nana\nx"])
        #expect(!request.curlCommand.contains("s3cret") && !request.curlCommand.contains("b4nana"))
        #expect(request.curlCommand.contains(#"'Accept: …\nx'"#))
    }
}

@Suite struct HTTPErrorCurlCommandTests {
    private let url = URL(string: "https://a.example/p?k=s3cret")!

    @Test func theCurlCommandOfAnErrorIsItsRequests() {
        let request = HTTPRequest(.delete, url)
        let error = HTTPError(code: .timedOut, request: request)
        #expect(error.curlCommand == request.curlCommand)
        #expect(error.curlCommand?.contains("s3cret") == false)
        #expect(error.curlCommand(revealingSecrets: true)?.contains("s3cret") == true)
    }

    @Test func theCurlCommandOfAnErrorLowersItsEndpoint() throws {
        let endpoint = Endpoint(url: url)
        let error = HTTPError(code: .timedOut, endpoint: endpoint)
        #expect(error.curlCommand == (try HTTPRequest(endpoint).curlCommand))
    }

    @Test func anErrorWithoutARequestHasNoCurlCommand() {
        #expect(HTTPError(code: .other).curlCommand == nil)
        #expect(HTTPError(code: .other, endpoint: Endpoint(path: "/a")).curlCommand == nil)
    }
}

@Suite struct ShellWordTests {
    @Test(arguments: [
        "plain-1.2/x:y", "", " ", "'", "''", "a'b", "\"", "$(rm -rf /)", "`id`", "$HOME", "a\nb",
        "a\\",
        "\\'", "*?[a]", "~", "#x", "a#b", "!!", "&& ls", "| sh", "> f", "<(x)", "{a,b}", "a=b",
        "é☃",
        "\t", "\u{1B}[0m", "-n", "%s", "…",
        // With what comes after it, the quote is one character.
        "'\u{301}; rm -rf / #", "a'\u{200D}$(id)", "'\u{FE0F}'",
    ])
    func aShellReadsTheSameAgain(text: String) throws {
        #expect(
            try ShellReader("x " + ShellWord.quoted(text)).commands == [[[120], Array(text.utf8)]])
    }

    @Test func whateverIsWrittenIsReadAgain() throws {
        var random = SeededGenerator(seed: 21)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let text = String(decoding: bytes.filter { $0 > 0 }, as: UTF8.self)
            let word = ShellWord.quoted(text)
            #expect(try ShellReader(word).commands == [[Array(text.utf8)]], "\(word)")
            let printing = ShellWord.printing(Data(bytes))
            #expect(try ShellReader(printing + " | x").printed == bytes, "\(printing)")
        }
    }

    @Test func aFormatInAShellWordIsNoOption() throws {
        #expect(ShellWord.printing(Data("-v 1%\\'".utf8)) == #"printf '\055v 1%%\\\047'"#)
    }
}

/// Parses the part of the shell's language that a curl command uses: words, quotes, comments, continued lines
/// and pipes (POSIX.1-2024, Shell Command Language, sections 2.2 and 2.3).
///
/// It shares no code with the code under test.
struct ShellReader {
    /// The words of each command of a pipe, in bytes.
    private(set) var commands: [[[UInt8]]] = [[]]
    private(set) var comments: [String] = []

    struct NotPlain: Error { let byte: UInt8 }

    init(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        var word: [UInt8]?
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "'"):
                let end = rest.firstIndex(of: byte) ?? rest.endIndex
                word = (word ?? []) + rest[..<end]
                rest = rest[end...].dropFirst()
            case UInt8(ascii: "\\"):
                guard let next = rest.popFirst() else { throw NotPlain(byte: byte) }
                if next != 10 { word = (word ?? []) + [next] }
            case UInt8(ascii: "#") where word == nil:
                comments.append(String(decoding: rest.prefix { $0 != 10 }, as: UTF8.self))
                rest = rest.drop { $0 != 10 }
            case 9, 10, 32:
                if let whole = word { commands[commands.count - 1].append(whole) }
                word = nil
            case UInt8(ascii: "|"):
                if let whole = word { commands[commands.count - 1].append(whole) }
                word = nil
                commands.append([])
            case _ where "\"`$&;<>()*?[]~!{}^".utf8.contains(byte): throw NotPlain(byte: byte)
            default: word = (word ?? []) + [byte]
            }
        }
        if let word { commands[commands.count - 1].append(word) }
    }

    /// The words of the last command.
    var curl: [String] { commands.last?.map { String(decoding: $0, as: UTF8.self) } ?? [] }

    /// The bytes given for each occurrence of an option.
    func values(of option: String) -> [[UInt8]] {
        let words = commands.last ?? []
        return words.indices.dropLast().filter { words[$0] == Array(option.utf8) }
            .map { words[$0 + 1] }
    }

    /// The output of `printf` with the format that the first command gives it.
    var printed: [UInt8]? {
        guard commands.count == 2, commands[0].count == 2, commands[0][0] == Array("printf".utf8)
        else { return nil }
        var rest = commands[0][1][...]
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.popFirst() == byte else { return nil }
            }
            if byte == UInt8(ascii: "\\"), rest.first != byte {
                let digits = String(decoding: rest.prefix(3), as: UTF8.self)
                guard let value = UInt8(digits, radix: 8) else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                if byte == UInt8(ascii: "\\") { rest.removeFirst() }
                bytes.append(byte)
            }
        }
        return bytes
    }
}
