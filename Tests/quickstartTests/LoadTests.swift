import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

@Suite(.oneAtATime)
struct LoadTests {
    @Test func showsStatusTimeSizeAndTheBodysBeginning() async throws {
        let server = try LoopbackServer { _ in
            .text("Hello,\r\nworld\n", status: 203, headers: ["Content-Type": "text/plain"])
        }

        let run = try await runQuickstart("\(server.url)/greeting?token=secret")

        let lines = run.output.split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 10, "\(run.output)")
        #expect(lines[0] == "loaded   GET \(server.url)/greeting?token=…")
        #if os(Linux)
        #expect(lines[1].wholeMatch(of: /through  curl \(libcurl \d+\.\d+\.\d+\)/) != nil)
        #else
        #expect(lines[1] == "through  urlsession (URLSession)")
        #endif
        #expect(lines[2] == "status   203")
        #expect(lines[3].wholeMatch(of: /time     \d+\.\d{3} s/) != nil)
        #expect(lines[4] == "size     14 bytes, text/plain")
        #expect(lines[5...] == ["", "Hello,", "world", "", ""])
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
        #expect(server.requests.map(\.target) == ["/greeting?token=secret"])
    }

    @Test(arguments: [
        ("\u{1B}[2J\u{7}red\u{9B}31m", #"\u{1B}[2J\u{7}red\u{9B}31m"#),
        ("a\u{202E}b\u{200B}c\u{2028}d", #"a\u{202E}b\u{200B}c\u{2028}d"#),
        ("over\rwritten", #"over\u{D}written"#),
        ("Zoë 日本 👍", "Zoë 日本 👍"),
        ("", "(the body is empty)"),
    ])
    func aBodyCannotCommandTheTerminal(body: String, shown: String) async throws {
        let server = try LoopbackServer { _ in .text(body) }

        let run = try await runQuickstart("\(server.url)")

        #expect(run.output.hasSuffix(" bytes\n\n\(shown)\n"), "\(run.output.debugDescription)")
        #expect(run.exitCode == 0)
    }

    @Test func aBinaryBodyIsShownAsBytes() async throws {
        let server = try LoopbackServer { _ in
            .response(body: Data([0, 0x1B, 0xFF] + Array(1...97)))
        }

        let run = try await runQuickstart("\(server.url)")

        #expect(run.output.contains("size     100 bytes\n"))
        #expect(
            run.output.contains("(binary)\n00 1b ff 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d\n0e ")
        )
        #expect(run.output.hasSuffix("\n…\n"))
    }

    @Test func aLongBodyIsCutBetweenCharacters() async throws {
        let server = try LoopbackServer { _ in .text("x" + String(repeating: "ä", count: 1000)) }

        let run = try await runQuickstart("\(server.url)")

        #expect(run.output.contains("size     2001 bytes\n"))
        #expect(run.output.hasSuffix("xä" + String(repeating: "ä", count: 298) + "\n…\n"))
    }

    @Test(arguments: ["curl", "urlsession"])
    func redirectsAreFollowed(through transport: String) async throws {
        let server = try LoopbackServer { request in
            request.target == "/old"
                ? .response(301, headers: ["Location": "/new"]) : .text("at \(request.target)")
        }

        let run = try await runQuickstart("--transport", transport, "\(server.url)/old")

        #expect(run.output.contains("loaded   GET \(server.url)/old\n"))
        #expect(run.output.contains("final    GET \(server.url)/new\n"))
        #expect(run.output.contains("status   200\n"))
        #expect(run.output.hasSuffix("at /new\n"))
    }

    @Test func theOtherTransportSaysWhetherItIsThere() async throws {
        let server = try LoopbackServer { _ in .text("hello") }

        let run = try await runQuickstart("--transport", "ahc", "\(server.url)")

        #if AsyncHTTPClient
        #expect(run.output.hasSuffix("hello\n") && run.exitCode == 0)
        #else
        #expect(run.errors.contains("--traits AsyncHTTPClient") && run.exitCode == 2)
        #endif
    }

    @Test func aServerThatTakesTooLongIsGivenUp() async throws {
        let answer = Promise<LoopbackAnswer>()
        let server = try LoopbackServer(answeringLater: { _ in answer })

        let run = try await runQuickstart("--timeout", "0.2", "\(server.url)/slow")

        // The policy and the transport have the same deadline: either may be the first, with its own words.
        let words = [
            "no result in the 0.2 seconds before the call's deadline", "the deadline, after 0.2",
        ]
        #expect(words.contains { run.errors.contains($0) }, "\(run.errors)")
        #expect(run.exitCode == 1)
    }

    @Test func a404IsOneLine() async throws {
        let server = try LoopbackServer { _ in .text("no such page", status: 404) }

        let run = try await runQuickstart("\(server.url)/missing")

        #expect(
            run.errors
                == "quickstart: GET \(server.url)/missing answered 404 (12 bytes in its body): no such page\n"
        )
        #expect(!run.output.contains("status"))
        #expect(run.exitCode == 1)
    }

    @Test func aRefusedConnectionIsOneLine() async throws {
        let closed = try ClosedPort()

        let run = try await runQuickstart("\(closed.url)")

        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines.first?.contains("failed: the host refused the connection") == true)
        #expect(run.exitCode == 1)
        withExtendedLifetime(closed) {}
    }

    @Test func anAnswerThatIsNoHTTPIsOneLine() async throws {
        let server = try LoopbackServer { _ in .raw("\u{1B}[31m garbage\n\n") }

        let run = try await runQuickstart("\(server.url)")

        #expect(run.errors.split(separator: "\n").count == 1)
        #expect(!run.errors.contains("\u{1B}"))
        #expect(run.exitCode == 1)
    }
}
