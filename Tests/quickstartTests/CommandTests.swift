import Foundation
import PledgeTesting
import TestSupport
import Testing

@Suite(.oneAtATime)
struct CommandTests {
    @Test(arguments: ["--help", "-h"])
    func helpShowsHowItIsUsed(flag: String) async throws {
        let run = try await runQuickstart(flag)

        #expect(
            run.output.hasPrefix(
                """
                usage: swift run quickstart [--page FILE.html] [--trace FILE.json] [--transport NAME]
                                            [--timeout SECONDS] [URL]

                """))
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
    }

    @Test(arguments: [
        ("--fast", #"unknown flag "--fast"; see --help"#),
        ("-\u{1B}[31m", #"unknown flag "-\u{1B}[31m"; see --help"#),
        ("", #""" is no URL; write one like https://example.com"#),
        ("foo bar", #""foo bar" is no URL; write one like https://example.com"#),
        ("localhost:8080", #""localhost:8080" is no URL; write one like https://example.com"#),
        (
            "http://user:secret@",
            #""…@" is no URL that leads to a host; write one like https://example.com"#
        ),
        ("user:secret@host", #"the scheme "user" is not supported; http and https are"#),
        ("ftp://example.com/x", #"the scheme "ftp" is not supported; http and https are"#),
        ("file:///etc/hosts", #"the scheme "file" is not supported; http and https are"#),
        (
            "http://",
            #""http://" is no URL that leads to a host; write one like https://example.com"#
        ),
    ])
    func wrongArgumentsGetOneLine(argument: String, line: String) async throws {
        let run = try await runQuickstart(argument)

        #expect(run.errors == "quickstart: \(line)\n")
        #expect(run.output == "")
        #expect(run.exitCode == 2)
    }

    @Test(arguments: [
        (["--transport"], "--transport needs curl, urlsession, ahc; see --help"),
        (
            ["--transport", "wget", "http://a"],
            #"there is no transport "wget"; there are curl, urlsession, ahc"#
        ),
        (["--transport", "urlsession"], "--transport needs a URL; see --help"),
        (["--timeout", "5"], "--timeout needs a URL; see --help"),
        (
            ["--timeout", "soon", "http://a"],
            #"--timeout needs a number of seconds above zero, not "soon""#
        ),
        (
            ["--transport", "ahc", "--transport", "ahc", "http://a"],
            "--transport is given more than once; see --help"
        ),
    ])
    func aTransportNeedsANameAndAURL(arguments: [String], line: String) async throws {
        let run = try await runQuickstart(arguments)

        #expect(run.errors == "quickstart: \(line)\n")
        #expect(run.exitCode == 2)
    }

    @Test func twoURLsAreOneTooMany() async throws {
        let run = try await runQuickstart("http://a", "http://b")

        #expect(run.errors == "quickstart: one URL at most, not 2; see --help\n")
        #expect(run.exitCode == 2)
    }
}

@Suite(.oneAtATime)
struct TraceTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("quickstart-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    @Test func theTourWritesItsTrace() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("trace.json")

        let run = try await runQuickstart("--trace", file.path)

        #expect(run.errors == "")
        #expect(run.exitCode == 0)
        #expect(
            run.output.hasSuffix(
                "\nThe trace is in \(file.path); open it in ui.perfetto.dev.\n"))
        let names = try events(in: file).compactMap { $0["name"] as? String }
        for name in ["screen", "GET /products/7", "attempt 2", "hedge 2", "coalesced", "retrying"] {
            #expect(names.contains(name), "\(name) is not among \(names)")
        }
    }

    @Test func aLoadWritesItsTraceWithoutSecrets() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("trace.json")
        let server = try LoopbackServer { _ in .text("Hello") }

        let run = try await runQuickstart("\(server.url)/?token=secret", "--trace", file.path)

        #expect(run.exitCode == 0)
        #expect(
            try events(in: file).contains { $0["name"] as? String == "GET \(server.url)/?token=…" })
        #expect(try !String(contentsOf: file, encoding: .utf8).contains("secret"))
    }

    @Test func aFileThatCannotBeWrittenIsOneLine() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let missing = folder.appendingPathComponent("missing/trace.json").path
        for file in [missing, folder.path] {
            let run = try await runQuickstart("--trace", file)

            #expect(
                run.errors == "quickstart: the trace cannot be written to \"\(file)\"; "
                    + "name a file in a folder that exists and may be written to\n")
            #expect(run.exitCode == 1)
        }
    }

    @Test(arguments: [["--trace"], ["--trace", ""], ["--trace", "--fast"]])
    func aTraceNeedsAFile(arguments: [String]) async throws {
        let run = try await runQuickstart(arguments)

        #expect(
            run.errors == "quickstart: --trace needs a file, like trace.json; see --help\n")
        #expect(run.output == "")
        #expect(run.exitCode == 2)
    }

    @Test func twoTracesAreOneTooMany() async throws {
        let run = try await runQuickstart("--trace", "a.json", "--trace", "b.json")

        #expect(run.errors == "quickstart: --trace is given more than once; see --help\n")
        #expect(run.exitCode == 2)
    }

    private func events(in file: URL) throws -> [[String: Any]] {
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        return try #require((json as? [String: Any])?["traceEvents"] as? [[String: Any]])
    }
}

@Suite(.oneAtATime)
struct PageTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("quickstart-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    }

    @Test func theTourWritesItsPageTheSameEachTime() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        var pages: Set<String> = []
        for name in ["calls.html", "again.html"] {
            let file = folder.appendingPathComponent(name)

            let run = try await runQuickstart("--page", file.path)

            #expect(run.errors == "")
            #expect(run.exitCode == 0)
            #expect(
                run.output.hasSuffix("\nThe page is in \(file.path); open it in a browser.\n"))
            pages.insert(try String(contentsOf: file, encoding: .utf8))
        }
        #expect(pages.count == 1)
        let page = try #require(pages.first)
        #expect(page.hasPrefix("<!DOCTYPE html>"))
        for name in ["screen", "GET /products/7", "attempt 2", "hedge 2", "coalesced", "retrying"] {
            #expect(page.contains("\"\(name)\""), "\(name)")
        }
    }

    @Test func aLoadWritesItsPageAndItsTraceWithoutSecrets() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (page, trace) = (folder.appending(path: "a.html"), folder.appending(path: "a.json"))
        let server = try LoopbackServer { _ in .text("Hello") }
        let url = "\(server.url)/?token=s3cret".replacing("://", with: "://ada:pa55word@")

        let run = try await runQuickstart(url, "--page", page.path, "--trace", trace.path)

        #expect(run.exitCode == 0)
        let html = try String(contentsOf: page, encoding: .utf8)
        #expect(html.contains("/?token=…"))
        for secret in ["s3cret", "pa55word", "ada:"] { #expect(!html.contains(secret)) }
        #expect(FileManager.default.fileExists(atPath: trace.path))
    }

    @Test func aFileThatCannotBeWrittenIsOneLine() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let missing = folder.appendingPathComponent("missing/calls.html").path
        for file in [missing, folder.path] {
            let run = try await runQuickstart("--page", file)

            #expect(
                run.errors == "quickstart: the page cannot be written to \"\(file)\"; "
                    + "name a file in a folder that exists and may be written to\n")
            #expect(run.exitCode == 1)
        }
    }

    @Test(arguments: [["--page"], ["--page", ""], ["--page", "--fast"]])
    func aPageNeedsAFile(arguments: [String]) async throws {
        let run = try await runQuickstart(arguments)

        #expect(run.errors == "quickstart: --page needs a file, like calls.html; see --help\n")
        #expect(run.output == "")
        #expect(run.exitCode == 2)
    }

    @Test func twoPagesAreOneTooMany() async throws {
        let run = try await runQuickstart("--page", "a.html", "--page", "b.html")

        #expect(run.errors == "quickstart: --page is given more than once; see --help\n")
        #expect(run.exitCode == 2)
    }
}

/// Runs `quickstart` with arguments, as `swift run quickstart` does.
func runQuickstart(_ arguments: String...) async throws -> ExecutableRun {
    try await runQuickstart(arguments)
}

/// Runs `quickstart` with a list of arguments.
func runQuickstart(_ arguments: [String]) async throws -> ExecutableRun {
    try await ExecutableRun(of: "quickstart", arguments)
}
