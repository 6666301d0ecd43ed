import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

/// Random scripts, compared with a plain model of the state of each request.
@Suite(.oneAtATime) struct TokenScriptTests {
    @Test(arguments: 0..<20) func agreesWithAFlatAccount(seed: UInt64) {
        var script = TokenScript(seed: seed)
        for step in 0..<400 {
            script.step()
            #expect(script.real == script.account.sent, "step \(step)")
            #expect(script.begun == script.account.begun, "step \(step)")
            #expect(script.refresher.token?.value == script.account.token, "step \(step)")
            #expect(script.outcomes == script.account.outcomes, "step \(step)")
        }
        script.finish()
        #expect(script.outcomes == script.account.outcomes)
        #expect(!script.outcomes.contains("pending"))
        #expect(script.account.sentByRequest.values.allSatisfy { $0 <= 2 })
    }
}

/// The expected state, by the rules in the documentation.
struct TokenAccount {
    enum Place {
        case atServer(token: String?, again: Bool)
        case waiting(again: Bool)
        case done(String)
    }

    var (token, isRefused, isRefreshing): (String?, Bool, Bool) = ("t0", false, false)
    var session = 0
    var begun = 0
    var sent: [String] = []
    var sentByRequest: [Int: Int] = [:]
    var places: [Place] = []
    var once: [Bool] = []
    /// The session in which a request got its token.
    var sessions: [Int] = []
    var queue: [Int] = []

    var outcomes: [String] {
        places.map { if case .done(let text) = $0 { text } else { "pending" } }
    }

    mutating func ask(once isOnce: Bool) {
        places.append(.done(""))
        once.append(isOnce)
        sessions.append(session)
        let id = places.count - 1
        if token != nil, isRefused { wait(id, again: false) } else { send(id, again: false) }
    }

    mutating func answer(_ id: Int, _ status: Int) {
        guard case .atServer(let used, let again) = places[id] else { return }
        places[id] = .done("\(status)")
        guard status == 401, !again, let used, token != nil, sessions[id] == session else {
            return
        }
        if used == token { isRefused = true }
        if once[id] { return }
        if isRefused { wait(id, again: true) } else { send(id, again: true) }
    }

    mutating func endRefresh(_ new: String?) {
        isRefreshing = false
        isRefused = false
        token = new ?? token
        release(new == nil ? "failed" : nil)
    }

    mutating func begin(with new: String?) {
        session += 1
        (token, isRefused, isRefreshing) = (new, false, false)
        release("ended")
    }

    mutating func cancel(_ id: Int) {
        if case .done = places[id] { return }
        places[id] = .done("cancelled")
        queue.removeAll { $0 == id }
    }

    private mutating func release(_ failure: String?) {
        let ids = queue
        queue = []
        for id in ids {
            guard case .waiting(let again) = places[id] else { continue }
            if let failure { places[id] = .done(failure) } else { send(id, again: again) }
        }
    }

    private mutating func wait(_ id: Int, again: Bool) {
        places[id] = .waiting(again: again)
        queue.append(id)
        if !isRefreshing { begun += 1 }
        isRefreshing = true
    }

    private mutating func send(_ id: Int, again: Bool) {
        places[id] = .atServer(token: token, again: again)
        sent.append("\(id) \(token ?? "-")")
        sentByRequest[id, default: 0] += 1
    }
}

/// Applies the same steps to a stack and to the model.
struct TokenScript {
    var account = TokenAccount()
    let refresher: TokenRefresher
    private let send: HTTPService
    private let arrived = Locked<[(id: Int, token: String, answer: Promise<HTTPResponse>)]>([])
    private let refreshes = Locked<[Promise<AccessToken>]>([])
    private var futures: [Future<HTTPResponse>] = []
    private var generator: SeededGenerator
    private var lastToken = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        let (arrived, refreshes) = (arrived, refreshes)
        refresher = TokenRefresher(AccessToken("t0"), grace: .zero, on: ManualScheduler()) { _ in
            let promise = Promise<AccessToken>()
            refreshes.withLock { $0.append(promise) }
            return promise
        }
        send = stack(.authorize(.bearer(from: refresher), for: .all)) { request in
            let answer = Promise<HTTPResponse>()
            let token = request.headers["Authorization"].map { String($0.dropFirst(7)) } ?? "-"
            let id = Int(request.url.lastPathComponent) ?? -1
            arrived.withLock { $0.append((id, token, answer)) }
            return answer
        }
    }

    var begun: Int { refreshes.withLock { $0.count } }
    var real: [String] { arrived.withLock { $0.map { "\($0.id) \($0.token)" } } }

    var outcomes: [String] {
        futures.map { future in
            switch future.result {
            case nil: return "pending"
            case .success(let response): return "\(response.status)"
            case .failure(is CancellationError): return "cancelled"
            case .failure(let error as HTTPError):
                return error.code == .sessionEnded ? "ended" : "failed"
            case .failure: return "?"
            }
        }
    }

    mutating func step() {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<6: ask()
        case 6..<14: answer()
        case 14..<17: endRefresh()
        case 17..<19:
            guard let id = futures.indices.randomElement(using: &generator) else { return }
            account.cancel(id)
            futures[id].cancel()
        default: begin()
        }
    }

    mutating func finish() {
        while account.outcomes.contains("pending") {
            answer()
            endRefresh()
        }
    }

    private mutating func ask() {
        let once = Int.random(in: 0..<4, using: &generator) == 0
        account.ask(once: once)
        futures.append(send(TokenFixture.request("/\(futures.count)", once: once)))
    }

    private mutating func answer() {
        let open = arrived.withLock { $0.filter { !$0.answer.isSettled } }
            .filter { call in
                if case .atServer = account.places[call.id] { true } else { false }
            }
        guard let call = open.randomElement(using: &generator) else { return }
        let status = Bool.random(using: &generator) ? 401 : 200
        account.answer(call.id, status)
        call.answer.resolve(with: HTTPResponse(status: status))
    }

    private mutating func endRefresh() {
        // A refresh of a session that is over may end at any time.
        let promise = refreshes.withLock { $0.last { !$0.isSettled } }
        guard let promise else { return }
        let isCurrent = account.isRefreshing && refreshes.withLock { $0.last === promise }
        lastToken += 1
        let new = Int.random(in: 0..<3, using: &generator) == 0 ? nil : "t\(lastToken)"
        if isCurrent { account.endRefresh(new) }
        if let new {
            promise.resolve(with: AccessToken(new))
        } else {
            promise.reject(with: URLError(.timedOut))
        }
    }

    private mutating func begin() {
        lastToken += 1
        if Bool.random(using: &generator) {
            account.begin(with: "t\(lastToken)")
            refresher.signIn(with: AccessToken("t\(lastToken)"))
        } else {
            account.begin(with: nil)
            refresher.signOut()
        }
    }
}
