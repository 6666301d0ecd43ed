import Foundation
import PledgeTesting
import TestSupport
import Testing

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
