import Foundation
import PledgeTesting
import TestSupport
import Testing

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
