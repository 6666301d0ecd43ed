import Foundation
import Pledge
import PledgeTesting

/// A server on a local port that does for the command-line program what GitHub does.
final class GitHubServer: Sendable {
    private struct Issue: Encodable {
        var number: Int
        var title: String
        var state = "open"
        var created_at = "2026-01-31T12:00:00Z"
        var user = ["login": "ada"]
    }

    private struct State {
        var token = "t1"
        var refreshToken = "r1"
        /// After how many bytes the next film stops, without an end.
        var stop: Int?
        var issues = (1...65).map { Issue(number: $0, title: "Issue \($0)") }
    }

    static let film = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    private let state = Locked(State())
    private let loopback = Locked<LoopbackServer?>(nil)

    init() throws {
        let server = try LoopbackServer(answering: { [self] in answer($0) })
        loopback.withLock { $0 = server }
    }

    var server: LoopbackServer { loopback.withLock { $0! } }

    /// The methods and the targets of the requests that have come.
    var requests: [String] { server.requests.map { "\($0.method) \($0.target)" } }

    /// Sends only the beginning of the next film, and keeps the connection open.
    func stopNextFilm(after bytes: Int) { state.withLock { $0.stop = bytes } }

    func stop() { loopback.withLock { $0.take() }?.stop() }

    private func answer(_ request: LoopbackRequest) -> LoopbackAnswer {
        let parts = request.target.split(separator: "?")
        let path = parts[0].split(separator: "/").map(String.init)
        let query = parts.dropFirst().first.map(String.init)?.removingPercentEncoding ?? ""
        let token = state.withLock { "Bearer \($0.token)" }
        if ["users", "repos"].contains(path[0]), request.headers["Authorization"] != token {
            return .text(#"{"message":"Bad credentials"}"#, status: 401)
        }
        switch (request.method, path[0], path.last ?? "") {
        case ("POST", "login", _): return newToken(for: request.text)
        case ("GET", "users", let login): return json(["login": login])
        case ("GET", "repos", _):
            return page(query.hasPrefix("page=") ? Int(query.dropFirst(5))! : 1)
        case ("POST", "repos", _): return create(request.body)
        case ("PATCH", "repos", let number): return close(Int(number))
        case ("GET", "search", _):
            let found = Issue(number: 1, title: "You asked for \(query.dropFirst(2))")
            return json(["items": [found]], headers: ["Cache-Control": "max-age=3600"])
        case ("POST", "upload", _): return .text("\(request.body.count) bytes arrived", status: 201)
        case ("GET", "film", _): return film(from: request.headers["Range"])
        case ("GET", "limited", "always"):
            return .response(429, headers: ["Retry-After": "600"])
        case ("GET", "limited", _): return .response(403, headers: ["X-RateLimit-Remaining": "0"])
        default: return .text(#"{"message":"Not Found"}"#, status: 404)
        }
    }

    /// The film, or what a range like `bytes=5-` asks for.
    private func film(from range: String?) -> LoopbackAnswer {
        let film = Self.film
        let start = range.flatMap { Int($0.dropFirst(6).dropLast()) } ?? 0
        let place = "bytes \(start)-\(film.count - 1)/\(film.count)"
        let answer = LoopbackAnswer.response(
            range == nil ? 200 : 206, headers: ["ETag": "\"1\"", "Content-Range": place],
            body: film.dropFirst(start))
        guard let bytes = state.withLock({ $0.stop.take() }) else { return answer }
        return LoopbackAnswer([answer.steps[0], .body(film.prefix(bytes)), .hold(Promise())])
    }

    private func newToken(for form: String) -> LoopbackAnswer {
        state.withLock { state in
            guard form.hasSuffix("refresh_token=\(state.refreshToken)") else {
                return .text(#"{"error":"invalid_grant"}"#, status: 400)
            }
            (state.token, state.refreshToken) = ("t2", "r2")
            return json(["access_token": "t2", "refresh_token": "r2", "expires_in": "3600"])
        }
    }

    /// 30 issues, with a link to the next page.
    private func page(_ number: Int) -> LoopbackAnswer {
        let issues = state.withLock { $0.issues }
        let rest = issues.dropFirst((number - 1) * 30)
        let next = #"</repos/ada/kit/issues?page=\#(number + 1)>; rel="next""#
        return json(
            Array(rest.prefix(30)), headers: rest.count > 30 ? ["Link": next] : [:])
    }

    private func create(_ body: Data) -> LoopbackAnswer {
        let title = (try? JSONDecoder().decode([String: String].self, from: body))?["title"] ?? ""
        if title.isEmpty {
            let error = ["resource": "Issue", "field": "title", "code": "missing_field"]
            return json(["errors": [error]], status: 422)
        }
        return state.withLock { state in
            let issue = Issue(number: state.issues.count + 1, title: title)
            state.issues.append(issue)
            return json(issue, status: 201)
        }
    }

    private func close(_ number: Int?) -> LoopbackAnswer {
        state.withLock { state in
            guard let index = state.issues.firstIndex(where: { $0.number == number }) else {
                return .text(#"{"message":"Not Found"}"#, status: 404)
            }
            state.issues[index].state = "closed"
            return json(state.issues[index])
        }
    }

    private func json(
        _ value: some Encodable, status: Int = 200, headers: KeyValuePairs<String, String> = [:]
    ) -> LoopbackAnswer {
        .response(status, headers: headers, body: (try? JSONEncoder().encode(value)) ?? Data())
    }
}
