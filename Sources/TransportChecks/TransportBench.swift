import Pledge
import PledgeTesting

/// A transport under check, with a limit on every wait.
struct TransportBench: Sendable {
    let transport: CheckedTransport

    var maxBodySize: Int { transport.maxBodySize }

    func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await inTime(transport.send(request))
    }

    func get(_ server: LoopbackServer, _ path: String = "/") async throws -> HTTPResponse {
        try await send(HTTPRequest(.get, server.at(path)))
    }

    /// The response of a new server that gives only this answer.
    func get(_ answer: LoopbackAnswer) async throws -> HTTPResponse {
        let server = try LoopbackServer(answering: { _ in answer })
        defer { server.stop() }
        return try await get(server)
    }

    func stream(
        _ request: HTTPRequest, by deadline: CallDeadline? = nil
    ) async throws -> HTTPStreamedResponse {
        guard let stream = transport.stream else { throw Unexpected("it cannot stream") }
        return try await inTime(CallContext(deadline: deadline).run { stream(request) })
    }

    /// The error of a failing request, which must be an `HTTPError`.
    func failure(_ request: HTTPRequest, by deadline: CallDeadline? = nil) async throws -> HTTPError
    {
        try await failure(
            of: CallContext(deadline: deadline).run { transport.send(request) })
    }

    /// The error of a GET to a server that gives this answer.
    func failure(_ answer: LoopbackAnswer) async throws -> HTTPError {
        let server = try LoopbackServer(answering: { _ in answer })
        defer { server.stop() }
        return try await failure(HTTPRequest(.get, server.at("/")))
    }

    /// The error of a failing call, which must be an `HTTPError`.
    func failure<Value>(of call: Future<Value>) async throws -> HTTPError {
        switch await settled(call) {
        case .success(let value): throw Unexpected("it succeeds with \(value)")
        case .failure(let error as HTTPError): return error
        case .failure(let error): throw Unexpected("it fails with \(type(of: error)): \(error)")
        }
    }

    /// The future's value; fails the check if it doesn't settle in time.
    func inTime<Value>(_ future: Future<Value>) async throws -> Value {
        try await settled(future).get()
    }

    /// The future's result; a failure if it doesn't settle in time.
    func settled<Value>(_ future: Future<Value>) async -> Result<Value, any Error> {
        await future.timeout(transport.patience)
            .mapError { error in
                guard (error as? FutureError)?.code == .timedOut else { return error }
                return Unexpected("nothing happened within \(transport.patience)")
            }
            .resultWhenSettled
    }
}

extension LoopbackServer {
    /// Returns the URL of a path and query, in this spelling.
    func at(_ target: String, scheme: String = "http", user: String = "") throws -> URL {
        let text = "\(scheme)://\(user)127.0.0.1:\(port)\(target)"
        guard let url = URL(string: text) else { throw Unexpected("\(text) is no URL") }
        return url
    }

    /// Returns the URL of a path and query, with their percent-encoding unchanged.
    func at(_ target: String) -> URL {
        // The URL is valid with every target that the checks use.
        URL(string: "http://127.0.0.1:\(port)\(target)") ?? url
    }
}
