import Dispatch
import Foundation
import Pledge
import PledgeStorage
import PledgeTesting
import TestSupport
import Testing

/// The command-line program of Docs/Guides/ThreePrograms.md, against a server on a local port.
@Suite(.oneAtATime)
struct GitHubCLITests {
    @Test func printsWhatThePageShows() async throws {
        let run = try Run()
        defer { run.end() }
        var page = ""
        for command in [
            ["create", "Crash on launch"], ["close", "7"], ["search", "tea & milk"],
            ["users", "ada", "ben"], ["close", "99"], ["create", ""],
            ["download", "/limited/always", "film"],
        ] {
            let shown = command.map { $0.isEmpty || $0.contains(" ") ? "\"\($0)\"" : $0 }
            page += "$ gh \(shown.joined(separator: " "))\n"
            for line in await run.lines(of: command) { page += line + "\n" }
        }
        try expectShown(page)
    }

    @Test func listsAllPages() async throws {
        let run = try Run()
        defer { run.end() }
        let lines = await run.lines(of: ["list"])
        #expect(lines.count == 65)
        #expect(lines.first == "#1 Issue 1 (open, ada, 2026-01-31)")
        #expect(lines.last == "#65 Issue 65 (open, ada, 2026-01-31)")
        let path = "GET /repos/ada/kit/issues"
        #expect(run.hub.requests == [path, path + "?page=2", path + "?page=3"])
    }

    @Test func manyRequestsRenewOneTokenAndKeepIt() async throws {
        let run = try Run(token: "old", refreshToken: "r1")
        defer { run.end() }
        let logins = (1...20).map { "u\($0)" }
        #expect(await run.lines(of: ["users"] + logins) == [logins.joined(separator: " ")])
        #expect(run.hub.requests.count { $0.hasPrefix("POST /login") } == 1)
        // The next start of the program has the new token.
        #expect(try run.tokenFile.load()?.value == "t2")
        #expect(try run.tokenFile.load()?.refreshToken == "r2")
        let attributes = try FileManager.default.attributesOfItem(
            atPath: run.folder.appending(path: "token").path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(await run.lines(of: ["users", "ada"]) == ["ada"])
        #expect(run.hub.requests.count { $0.hasPrefix("POST /login") } == 1)
    }

    @Test func aSessionThatHasEndedAsksToSignIn() async throws {
        let run = try Run(token: "old", refreshToken: "gone")
        defer { run.end() }
        #expect(await run.lines(of: ["users", "ada"]) == ["Sign in again."])
    }

    @Test func uploadsWithProgress() async throws {
        let run = try Run()
        defer { run.end() }
        let film = run.folder.appending(path: "film.mov")
        try GitHubServer.film.write(to: film)
        let lines = await run.lines(of: ["upload", film.path])
        let sent = try #require(run.hub.server.requests.last)
        #expect(lines == ["\(sent.body.count) bytes arrived"])
        #expect(sent.body.range(of: Data(#"name="asset"; filename="film.mov""#.utf8)) != nil)
        #expect(sent.body.range(of: GitHubServer.film) != nil)
        #expect(run.progress.lines.contains { $0.contains("100 %") })
        #expect(run.progress.lines.last == "\r\u{1B}[K")
    }

    @Test func downloadsWithProgressOrNotAtAll() async throws {
        let run = try Run()
        defer { run.end() }
        let film = run.folder.appending(path: "film.mov")
        try Data("before".utf8).write(to: film)
        let refused = await run.lines(of: ["download", "/missing", film.path])
        #expect(refused == ["There is no such thing."])
        #expect(try Data(contentsOf: film) == Data("before".utf8))
        let lines = await run.lines(of: ["download", "/film", film.path])
        #expect(lines == ["2000000 bytes in \(film.path), 0 from an earlier run"])
        #expect(try Data(contentsOf: film) == GitHubServer.film)
        #expect(run.progress.lines.contains { $0.contains("100 %") })
    }

    // Exit tests capture values since Swift 6.3.
    #if compiler(>=6.3)
    @Test func theNextRunGoesOnWithADownloadWhoseProcessWasKilled() async throws {
        let run = try Run()
        defer { run.end() }
        run.hub.stopNextFilm(after: 1_500_000)
        let film = run.folder.appending(path: "film.mov")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [
                server = run.hub.server.url.absoluteString as String,
                folder = run.folder.path as String
            ] in
            let folder = URL(filePath: folder)
            let github = GitHub(at: URL(string: server)!, keptIn: folder)
            Thread.detachNewThread {
                let record = folder.appending(path: ".pledge-film.mov.resume").path
                while !FileManager.default.fileExists(atPath: record) { usleep(1_000) }
                kill(getpid(), SIGKILL)
            }
            _ = await github.main(["download", "/film", folder.appending(path: "film.mov").path])
        }
        #expect(!FileManager.default.fileExists(atPath: film.path))
        let lines = await run.lines(of: ["download", "/film", film.path])
        let kept = try #require(lines.first?.split(separator: " ").dropFirst(4).first)
        #expect(Int(kept).map { $0 > 0 && $0 <= 1_500_000 } == true, "\(lines)")
        #expect(try Data(contentsOf: film) == GitHubServer.film)
        #expect(run.hub.server.requests.last?.headers["Range"] == "bytes=\(kept)-")
    }
    #endif

    @Test func theNextRunAnswersFromTheCacheOnTheDisk() async throws {
        let run = try Run()
        defer { run.end() }
        let first = await run.lines(of: ["search", "tea"])
        let second = await run.lines(of: ["search", "tea"])
        #expect(first == second && first.count == 1)
        #expect(run.hub.requests == ["GET /search/issues?q=tea"])
    }

    @Test func saysWhatIsWrong() async throws {
        let run = try Run()
        defer { run.end() }
        let file = run.folder.appending(path: "x").path
        let limited = await run.lines(of: ["download", "/limited/403", file])
        #expect(limited == ["Too many requests. Try again later."])
        #expect(await run.code(of: ["close", "99"]) == 1)
        #expect(await run.code(of: ["close", "9"]) == 0)
        let usage = "list | search | create | close | users | upload | download"
        #expect(await run.lines(of: ["close"]) == [usage])
        let github = run.github()
        #expect(github.message(for: HTTPError(code: .timedOut)) == "The server takes too long.")
        let unreachable = HTTPError(code: .cannotConnect)
        #expect(github.message(for: unreachable) == "The server cannot be reached.")
        #expect(github.message(for: CancellationError()) == "Cancelled.")
    }

    @Test func logsEachExchange() async throws {
        let run = try Run()
        defer { run.end() }
        let log = ExampleLog()
        _ = await run.lines(of: ["close", "7"], log: .init { log.add($0) })
        #expect(log.lines.count == 1)
        #expect(log.lines.first?.contains("PATCH") == true)
        #expect(log.lines.first?.contains("status=200") == true)
        #expect(log.lines.first?.contains("t1") == false)
    }

    @Test func controlCCancelsTheCommand() async {
        await #expect(processExitsWith: .exitCode(130)) {
            let server = try LoopbackServer(answeringLater: { _ in Promise() })
            let github = GitHub(at: server.url, keptIn: URL(filePath: "/dev/null"))
            let queue = OneQueue()
            let code = Task(executorPreference: queue) { await github.main(["list"]) }
            _ = try await server.received(1).value
            // After what `main` does before it waits.
            queue.queue.async { kill(getpid(), SIGINT) }
            exit(await code.value)
        }
    }

    @Test func beginsWithTheArguments() async throws {
        // Those of the test's process are no command.
        let end = await #expect(
            processExitsWith: .exitCode(0), observing: [\.standardOutputContent]
        ) {
            await GitHubCLI.begin()
        }
        let printed = String(decoding: end?.standardOutputContent ?? [], as: UTF8.self)
        #expect(printed.contains("close | users | upload | download"))
    }

    /// Fails unless the page shows a text.
    private func expectShown(_ text: String) throws {
        let page = try Repository.this.check().documents["Docs/Guides/ThreePrograms.md"] ?? ""
        let isShown = page.contains("```text\n\(text)```")
        #expect(isShown, "the page does not show:\n\(text)")
    }
}

/// A server, and a folder with a token.
private struct Run {
    let hub: GitHubServer
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    let progress = ExampleLog()

    init(token: String = "t1", refreshToken: String = "r1") throws {
        hub = try GitHubServer()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try tokenFile.save(AccessToken(token, refreshToken: refreshToken))
    }

    var tokenFile: AccessTokenFile { AccessTokenFile(folder.appending(path: "token")) }

    func github(log: HTTPClient.Log? = nil) -> GitHub {
        var github = GitHub(at: hub.server.url, keptIn: folder, log: log)
        github.progress = ProgressLine { [progress] in progress.add($0) }
        return github
    }

    func code(of arguments: [String]) async -> Int32 {
        await GitHubCLI.$log.withValue(ExampleLog()) { await github().main(arguments) }
    }

    func lines(of arguments: [String], log: HTTPClient.Log? = nil) async -> [String] {
        let printed = ExampleLog()
        _ = await GitHubCLI.$log.withValue(printed) { await github(log: log).main(arguments) }
        return printed.lines
    }

    func end() {
        signal(SIGINT, SIG_DFL)
        hub.stop()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Runs jobs on a queue, in order.
private final class OneQueue: TaskExecutor {
    let queue = DispatchQueue(label: "GitHubCLITests")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
