#if os(Linux)
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPAuthentication
@testable import PledgeStorage

/// A token file that several real processes use: this test's program, run again.
@Suite(.oneAtATime) struct SharedTokenProcessTests {
    /// Runs one of the tests below in another process.
    private func start(_ test: String, in folder: TestFolder) throws -> ChildProcess {
        try ChildProcess(
            URL(fileURLWithPath: CommandLine.arguments[0]),
            [
                "--testing-library", "swift-testing", "--filter", test, "--token-folder",
                folder.url.path,
            ],
            output: folder.url.appendingPathComponent("\(UUID()).output"))
    }

    @Test func processesThatRefreshTheSameTokenAtTheSameTimeStaySignedIn() async throws {
        let folder = try TestFolder()
        let site = FolderSite(folder.url)
        let store = AccessTokenFile(site.tokenFile)
        try store.save(AccessToken("0", refreshToken: "0"))
        let children = try (0..<3).map { _ in try start("oneOfManyProcesses", in: folder) }
        for child in children {
            let status = await onOwnThread { child.wait() }
            #expect(status == 0, "\(output(of: folder))")
        }
        #expect(site.count("refused") == 0)
        // Each process has refreshed, and the file has the last token.
        #expect(site.count("refresh") >= 8)
        #expect(try store.load()?.refreshToken == "\(site.count("refresh"))")
    }

    @Test func theLockOfAProcessThatIsKilledDuringARefreshIsFree() async throws {
        let folder = try TestFolder()
        let site = FolderSite(folder.url)
        let store = AccessTokenFile(site.tokenFile)
        try store.save(AccessToken("0", refreshToken: "0"))
        let child = try start("processThatHangs", in: folder)
        defer { child.stop() }
        #expect(await comesTrue { site.count("hanging") == 1 || !child.isRunning })
        #expect(child.isRunning, "\(output(of: folder))")
        let scheduler = ManualScheduler()
        let refresher = TokenRefresher(storedIn: store, on: scheduler, refresh: site.refresh)
        let token = refresher.refresh()
        scheduler.advance(by: .seconds(20))
        #expect(!token.isSettled && site.count("refresh") == 0)
        child.stop()
        scheduler.advance(by: TokenKeeper.pause)
        #expect(token.valueNow?.value == "1" && site.count("refresh") == 1)
    }

    private func output(of folder: TestFolder) -> String {
        folder.names.filter { $0.hasSuffix(".output") }.map { name in
            let file = folder.url.appendingPathComponent(name)
            return (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        }.joined(separator: "\n")
    }

    // MARK: - In the other processes

    /// The folder that the parent process names; nil in the parent.
    private static var folder: URL? {
        let words = CommandLine.arguments
        guard let name = words.firstIndex(of: "--token-folder"), name + 1 < words.count else {
            return nil
        }
        return URL(fileURLWithPath: words[name + 1])
    }

    @Test(.enabled(if: Self.folder != nil))
    func oneOfManyProcesses() async throws {
        let site = FolderSite(try #require(Self.folder))
        let errors = Locked<[any Error]>([])
        let refresher = TokenRefresher(
            storedIn: AccessTokenFile(site.tokenFile), grace: .zero,
            onStoreError: { error in errors.withLock { $0.append(error) } },
            refresh: site.refresh)
        let send = stack(.authorize(.bearer(from: refresher), for: .all), over: site.send)
        for _ in 0..<8 {
            // Another process may have used up a new token. That's no reason for an error.
            let status = try await send(HTTPRequest(at: "https://api.example.com/")).soon.status
            #expect([200, 401].contains(status))
        }
        #expect(errors.withLock { $0.isEmpty })
    }

    @Test(.enabled(if: Self.folder != nil))
    func processThatHangs() async throws {
        let site = FolderSite(try #require(Self.folder))
        let answer = Promise<AccessToken>()
        let refresher = TokenRefresher(storedIn: AccessTokenFile(site.tokenFile)) { _ in
            _ = site.isFirst("hanging", "0")
            return answer
        }
        _ = try await refresher.refresh().soon
        withExtendedLifetime(answer) {}
    }
}

/// A server in a folder: each refresh token works once, and so does each access token.
///
/// A process that is the first to create the file of a use has made it.
private struct FolderSite: Sendable {
    private let folder: URL

    init(_ folder: URL) { self.folder = folder }

    var tokenFile: URL { folder.appendingPathComponent("token.json") }

    /// Creates the file of a use; returns false if there is one.
    func isFirst(_ kind: String, _ name: String) -> Bool {
        let path = folder.appendingPathComponent("\(kind).\(name)").path
        let file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0o600)
        if file >= 0 { close(file) }
        return file >= 0
    }

    func count(_ kind: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.count { $0.hasPrefix(kind + ".") }
    }

    @Sendable func refresh(_ token: AccessToken) -> Future<AccessToken> {
        guard let name = token.refreshToken, let number = Int(name), isFirst("refresh", name) else {
            _ = isFirst("refused", "\(UUID())")
            return Future(error: TokenRefresher.InvalidGrant())
        }
        return Future(value: AccessToken("\(number + 1)", refreshToken: "\(number + 1)"))
    }

    var send: HTTPService {
        { request in
            let token = request.headers["Authorization"]?.dropFirst(7) ?? ""
            let isGood = isFirst("access", String(token))
            return Future(value: HTTPResponse(status: isGood ? 200 : 401, url: request.url))
        }
    }
}
#endif
