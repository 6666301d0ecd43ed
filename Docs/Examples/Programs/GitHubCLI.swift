// snippet: cli
import Dispatch
import Foundation
import Pledge
import PledgeStorage

struct GitHub: Sendable {
    struct User: Decodable, Sendable { var login: String }

    struct Issue: Decodable, Sendable {
        var number: Int
        var title: String
        var state: String
        var createdAt: Date
        var user: User

        var line: String {
            let day = createdAt.formatted(.iso8601.year().month().day())
            return "#\(number) \(title) (\(state), \(user.login), \(day))"
        }
    }

    struct Found: Decodable, Sendable { var items: [Issue] }

    struct Refusal: Decodable, Sendable { var errors: [[String: String]] }

    let server: URL
    var client: HTTPClient
    var progress = ProgressLine()

    init(at server: URL, keptIn folder: URL, log: HTTPClient.Log? = nil) {
        let signIn = HTTPClient(base: server)
        let file = AccessTokenFile(folder.appending(path: "token"))
        let refresher = TokenRefresher(storedIn: file) { token in
            try await signIn.post(
                "/login/oauth/access_token",
                form: ["grant_type": "refresh_token", "refresh_token": token.refreshToken])
        }
        self.server = server
        client = HTTPClient(base: server)
        client.headers = ["Accept": "application/vnd.github+json"]
        client.authorization = .bearer(from: refresher)
        client.cache = HTTPCache(folder: folder.appending(path: "cache"))
        client.json = JSONCoding(decoding: {
            $0.keyDecodingStrategy = .convertFromSnakeCase
            $0.dateDecodingStrategy = .iso8601
        })
        client.log = log
    }

    func run(_ arguments: [String]) async throws {
        let rest = arguments.dropFirst()
        switch (arguments.first, rest.first, rest.dropFirst().first) {
        case ("list", nil, nil):
            for try await issues: [Issue] in client.pages("/repos/ada/kit/issues") {
                for issue in issues { print(issue.line) }
            }
        case ("search", let words?, nil):
            let found: Found = try await client.get("/search/issues", query: ["q": words])
            for issue in found.items { print(issue.line) }
        case ("create", let title?, nil):
            let new: Issue = try await client.post("/repos/ada/kit/issues", json: ["title": title])
            print(new.line)
        case ("close", let number?, nil):
            let closed: Issue = try await client.patch(
                "/repos/ada/kit/issues/\(number)", json: ["state": "closed"])
            print(closed.line)
        case ("users", _?, _):
            let all = Future.all(rest.map { client.futures.get("/users/\($0)", as: User.self) })
            print(try await all.value.map(\.login).joined(separator: " "))
        case ("upload", let path?, nil):
            let form = Multipart([.file("asset", URL(filePath: path))])
            var request = try HTTPRequest(Endpoint(path: "/upload", method: .post), base: server)
            request.body = try .multipart(form).reportingProgress(to: progress.update)
            let response = try await client.send(request)
            progress.finish()
            print(response.text)
        case ("download", let place?, let path?):
            let saved = try await client.download(
                "\(verbatim: place)", to: URL(filePath: path), progress: progress.update
            )
            progress.finish()
            print("\(saved.byteCount) bytes in \(path), \(saved.resumedFrom) from an earlier run")
        default: print("list | search | create | close | users | upload | download")
        }
    }

    /// Runs a command until it ends, or until Ctrl-C cancels it, and returns the exit code.
    func main(_ arguments: [String]) async -> Int32 {
        let work = Task { try await run(arguments) }
        signal(SIGINT, SIG_IGN)  // the source gets it
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT)
        interrupt.setEventHandler { work.cancel() }
        interrupt.resume()
        defer { interrupt.cancel() }
        let result = await work.result
        try? await client.cache?.flush().value
        guard case .failure(let error) = result else { return 0 }
        progress.finish()
        print(message(for: error))
        return error is CancellationError ? 130 : 1
    }

    func message(for error: any Error) -> String {
        if error is CancellationError { return "Cancelled." }
        if error.isTimeout { return "The server takes too long." }
        guard let error = error as? HTTPError else { return "\(error)" }
        switch (error.code, error.status) {
        case (.cannotConnect, _), (.cannotFindHost, _): return "The server cannot be reached."
        case (.signInNeeded, _), (_, 401): return "Sign in again."
        case (_, 404): return "There is no such thing."
        case (_, 422):
            let refusal: Refusal? = try? error.decodedBody()
            let fields = refusal?.errors.map { "\($0["field"] ?? "") \($0["code"] ?? "")" } ?? []
            return "The server refuses: \(fields.joined(separator: ", "))"
        case (_, 429),
            (_, 403) where error.headers["X-RateLimit-Remaining"] == "0":
            let delay = error.retryAfter.map { "in \($0.components.seconds) s" }
            return "Too many requests. Try again \(delay ?? "later")."
        default: return "\(error)"
        }
    }
}
// end snippet

/// What tests read.
enum GitHubCLI {
    /// Where the program prints, in a test.
    @TaskLocal static var log: ExampleLog?

    /// The statements that begin the program, with the arguments of the test's process.
    static func begin() async {
        // snippet: cli-start
        let environment = ProcessInfo.processInfo.environment
        let log = HTTPClient.Log { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
        let github = GitHub(
            at: URL(string: environment["GH_SERVER"] ?? "https://api.github.com")!,
            keptIn: .homeDirectory.appending(path: ".gh"),
            log: environment["GH_LOG"] == nil ? nil : log)
        exit(await github.main(Array(CommandLine.arguments.dropFirst())))
        // end snippet
    }
}

/// Prints, or logs in a test.
private func print(_ text: String) {
    if let log = GitHubCLI.log { log.add(text) } else { Swift.print(text) }
}
