import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices

@testable import PledgeHTTPAuthentication

/// A server that requires digest authentication, and refuses repeated uses.
///
/// It keeps its nonces and their uses, and compares the URL of a digest with that of the request. It answers
/// 400 to a request that a client must not send.
final class DigestServer: Sendable {
    struct Rules {
        var realm = "r"
        /// The parameters of each challenge besides realm and nonce; one text for each challenge.
        var challenges = ["qop=\"auth\", algorithm=SHA-256, opaque=\"o\""]
        /// The maximum number of uses of a nonce.
        var uses = Int.max
        /// Whether each answer contains the next nonce.
        var namesNext = false
        var password = "Circle of Life"
        /// Whether stale nonces are distinguished from wrong passwords.
        var tellsStale = true
        /// The prefix of the paths that need a digest.
        var protected = "/"
    }

    fileprivate struct State {
        var rules: Rules
        var uses: [String: Set<String>] = [:]
        var made = 0
    }

    private let state: Locked<State>
    private let asked = Locked<[HTTPRequest]>([])

    init(_ rules: Rules = Rules()) { state = Locked(State(rules: rules)) }

    /// The requests, in order.
    var requests: [HTTPRequest] { asked.withLock { $0 } }

    /// The status of each answer, in order.
    let statuses = Locked<[Int]>([])

    func change(_ body: (inout Rules) -> Void) { state.withLock { body(&$0.rules) } }

    /// Discards all nonces, like a server that restarts.
    func forget() { state.withLock { $0.uses = [:] } }

    var send: HTTPService { { Future(value: self.answer($0)) } }

    /// Answers at once.
    func answer(_ request: HTTPRequest) -> HTTPResponse {
        asked.withLock { $0.append(request) }
        var answer = state.withLock { $0.answer(request) }
        answer.url = request.url
        statuses.withLock { $0.append(answer.status) }
        return answer
    }

    /// The values of a parameter that were sent, in order.
    func sent(_ name: String) -> [String?] {
        requests.map { request in
            AuthenticationChallenge.all(in: request.headers, of: "Authorization").first?
                .parameters[name]
        }
    }
}

extension DigestServer.State {
    mutating func answer(_ request: HTTPRequest) -> HTTPResponse {
        let target = request.url.requestTarget ?? ""
        guard target.hasPrefix(rules.protected) else { return HTTPResponse(status: 200) }
        let sent = AuthenticationChallenge.all(in: request.headers, of: "Authorization")
        guard let digest = sent.first else { return challenge(isStale: false) }
        guard sent.count == 1, digest.scheme == "digest", !digest.isMalformed,
            digest.parameters["uri"] == target, digest.parameters["opaque"] == "o"
        else { return HTTPResponse(status: 400) }
        guard let nonce = digest.parameters["nonce"], let seen = uses[nonce] else {
            return challenge(isStale: rules.tellsStale)
        }
        let use = digest.parameters["nc"] ?? "none"
        guard seen.count < rules.uses, !seen.contains(use) else {
            return challenge(isStale: rules.tellsStale)
        }
        uses[nonce]?.insert(use)
        guard isRight(digest.parameters, of: request) else { return challenge(isStale: false) }
        var answer = HTTPResponse(status: 200)
        if rules.namesNext {
            answer.headers["Authentication-Info"] = "qop=auth, nextnonce=\"\(makeNonce())\""
        }
        return answer
    }

    private func isRight(_ digest: [String: String], of request: HTTPRequest) -> Bool {
        guard let hash = DigestAlgorithm(digest["algorithm"])?.hash,
            digest["realm"] == rules.realm, let nonce = digest["nonce"], let uri = digest["uri"]
        else { return false }
        let secret = hash("Mufasa:\(rules.realm):\(rules.password)")
        var line = "\(request.method.rawValue):\(uri)"
        if digest["qop"] == "auth-int", case .data(let body) = request.body.content {
            line += ":\(hash(Array(body)))"
        }
        let middle = [digest["nc"], digest["cnonce"], digest["qop"]].compactMap { $0 }
        return digest["response"]
            == hash(([secret, nonce] + middle + [hash(line)]).joined(separator: ":"))
    }

    private mutating func makeNonce() -> String {
        made += 1
        uses["nonce\(made)"] = []
        return "nonce\(made)"
    }

    private mutating func challenge(isStale: Bool) -> HTTPResponse {
        var answer = HTTPResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"r\""])
        let nonce = makeNonce()
        for rest in rules.challenges {
            let stale = isStale ? ", stale=true" : ""
            answer.headers.add(
                "Digest realm=\"\(rules.realm)\", nonce=\"\(nonce)\", \(rest)\(stale)",
                for: "WWW-Authenticate")
        }
        return answer
    }
}
