import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPAuthentication

@Suite struct TokenMachineTests {
    private typealias Machine = TokenMachine<String>

    private func at(_ seconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .seconds(seconds))
    }

    private func machine(_ token: AccessToken?, leeway: Int = 10) -> Machine {
        Machine(token, leeway: .seconds(leeway), at: at(0))
    }

    private func token(_ value: String, lifetime: Int? = nil) -> AccessToken {
        AccessToken(value, lifetime: lifetime.map { .seconds($0) })
    }

    /// The answer in one line: "send a", or "wait", with "+" if a refresh must begin.
    private func text(_ step: (decision: Machine.Decision, refresh: Machine.Refresh?)) -> String {
        let plus = step.refresh.map { "+\($0.token.value)" } ?? ""
        switch step.decision {
        case .send(let grant): return "send \(grant.token.value)\(plus)"
        case .sendBare: return "send nothing\(plus)"
        case .wait: return "wait\(plus)"
        case .giveBack: return "give back\(plus)"
        case .fail(let error): return "fail \(type(of: error))\(plus)"
        }
    }

    private func text(_ ended: Machine.WaiterResults) -> [String] {
        ended.waiters.map { waiter, result in
            switch result {
            case .success(let grant): "\(waiter): \(grant.token.value)"
            case .failure(let error): "\(waiter): \(type(of: error))"
            }
        }
    }

    private func grant(
        _ machine: inout Machine, at seconds: Int = 0
    ) throws -> TokenGrant {
        let step = machine.ask(sendsOnce: false, at: at(seconds), "asker")
        guard case .send(let grant) = step.decision else { throw Missing() }
        return grant
    }

    private struct Missing: Error {}
    private struct Broken: Error {}

    @Test func aRequestWithoutASignInGoesWithoutAToken() {
        var machine = machine(nil)
        #expect(text(machine.ask(sendsOnce: true, at: at(0), "a")) == "send nothing")
        #expect(text(machine.renew("a")) == "give back")
        #expect(machine.waiting == 0)
    }

    @Test func theFirstRefusalBeginsTheRefreshAndTheOthersJoin() throws {
        var machine = machine(token("old"))
        let old = try grant(&machine)
        #expect(text(machine.refused(old, at: at(0), "a")) == "wait+old")
        #expect(text(machine.refused(old, at: at(0), "b")) == "wait")
        #expect(text(machine.ask(sendsOnce: false, at: at(0), "c")) == "wait")
        let ended = machine.endRefresh(1, with: .success(token("new")), at: at(1))
        #expect(text(ended) == ["a: new", "b: new", "c: new"])
        #expect(ended.hasChanged)
        #expect(text(machine.refused(old, at: at(1), "d")) == "send new")
        #expect(machine.waiting == 0)
    }

    @Test func aFailureIsForAllWhoWaitAndTheNextTriesAgain() throws {
        var machine = machine(token("old"))
        let old = try grant(&machine)
        _ = machine.refused(old, at: at(0), "a")
        _ = machine.ask(sendsOnce: false, at: at(0), "b")
        let ended = machine.endRefresh(1, with: .failure(Broken()), at: at(1))
        #expect(text(ended) == ["a: Broken", "b: Broken"])
        #expect(!ended.hasChanged)
        #expect(text(machine.ask(sendsOnce: false, at: at(1), "c")) == "send old")
        #expect(text(machine.refused(old, at: at(1), "d")) == "wait+old")
    }

    @Test func whatCannotBeSentAgainLeavesTheRefreshToTheNext() throws {
        var machine = machine(token("old"))
        machine.reject(try grant(&machine), at: at(0))
        #expect(text(machine.ask(sendsOnce: false, at: at(0), "a")) == "wait+old")
    }

    @Test func anOldRefusalDoesNotSpoilTheNewToken() throws {
        var machine = machine(token("old"))
        let old = try grant(&machine)
        _ = machine.refused(old, at: at(0), "a")
        _ = machine.endRefresh(1, with: .success(token("new")), at: at(1))
        machine.reject(old, at: at(1))
        #expect(text(machine.ask(sendsOnce: true, at: at(1), "b")) == "send new")
        // The new token is refused as well: a request with an old 401 then waits for the next token.
        machine.reject(try grant(&machine), at: at(1))
        #expect(text(machine.refused(old, at: at(1), "c")) == "wait+new")
    }

    @Test func aTokenIsRefreshedWithinTheLeewayOfItsEnd() {
        var machine = machine(token("old", lifetime: 100))
        #expect(text(machine.ask(sendsOnce: true, at: at(89), "a")) == "send old")
        // Within the leeway the first request begins the refresh, and no request waits needlessly.
        #expect(text(machine.ask(sendsOnce: false, at: at(90), "b")) == "send old+old")
        #expect(text(machine.ask(sendsOnce: false, at: at(99), "c")) == "send old")
        #expect(text(machine.ask(sendsOnce: true, at: at(99), "d")) == "wait")
        #expect(text(machine.ask(sendsOnce: false, at: at(100), "e")) == "wait")
        let ended = machine.endRefresh(1, with: .success(token("new", lifetime: 5)), at: at(100))
        #expect(text(ended) == ["d: new", "e: new"])
        // The leeway is at most half of the lifetime.
        #expect(text(machine.ask(sendsOnce: false, at: at(102), "f")) == "send new")
        #expect(text(machine.ask(sendsOnce: false, at: at(103), "g")) == "send new+new")
    }

    @Test func aFailedRefreshLeavesAValidTokenInUse() {
        var machine = machine(token("old", lifetime: 100))
        #expect(text(machine.ask(sendsOnce: true, at: at(95), "a")) == "wait+old")
        #expect(text(machine.renew("b")) == "wait")
        let ended = machine.endRefresh(1, with: .failure(Broken()), at: at(99))
        #expect(text(ended) == ["a: old", "b: Broken"])
        #expect(text(machine.ask(sendsOnce: true, at: at(100), "c")) == "wait+old")
        #expect(text(machine.endRefresh(2, with: .failure(Broken()), at: at(101))) == ["c: Broken"])
    }

    @Test func aTokenThatIsOverAtOnceIsUsedByThoseWhoWaitedForIt() throws {
        var machine = machine(token("old"))
        let old = try grant(&machine)
        _ = machine.refused(old, at: at(0), "a")
        let ended = machine.endRefresh(1, with: .success(token("new", lifetime: 0)), at: at(0))
        #expect(text(ended) == ["a: new"])
        #expect(text(machine.ask(sendsOnce: false, at: at(0), "b")) == "wait+new")
    }

    @Test func tokensOfDifferentSessionsDoNotMix() throws {
        var machine = machine(token("mine"))
        let mine = try grant(&machine)
        _ = machine.refused(mine, at: at(0), "a")
        let out = machine.startSession(with: token("yours"), at: at(1))
        #expect(text(out) == ["a: SessionEnded"])
        #expect(out.hasChanged)
        #expect(text(machine.endRefresh(1, with: .success(token("late")), at: at(2))) == [])
        #expect(machine.token?.value == "yours")
        #expect(text(machine.refused(mine, at: at(2), "b")) == "give back")
        machine.reject(mine, at: at(2))
        #expect(text(machine.ask(sendsOnce: false, at: at(2), "c")) == "send yours")
        _ = machine.startSession(with: nil, at: at(3))
        #expect(text(machine.refused(mine, at: at(3), "d")) == "give back")
        #expect(!machine.startSession(with: nil, at: at(3)).hasChanged)
    }

    @Test func aRefreshOfTheLastSessionDoesNotHoldUpThisOne() throws {
        var machine = machine(token("mine"))
        _ = machine.refused(try grant(&machine), at: at(0), "a")
        _ = machine.startSession(with: token("yours"), at: at(0))
        #expect(text(machine.refused(try grant(&machine), at: at(0), "b")) == "wait+yours")
        #expect(text(machine.endRefresh(1, with: .failure(Broken()), at: at(0))) == [])
        #expect(text(machine.endRefresh(2, with: .success(token("new")), at: at(0))) == ["b: new"])
    }

    @Test func whoLeavesIsNotAmongThoseWhoWait() throws {
        var machine = machine(token("old"))
        let old = try grant(&machine)
        guard case .wait(let number) = machine.refused(old, at: at(0), "a").decision else {
            throw Missing()
        }
        _ = machine.refused(old, at: at(0), "b")
        #expect(machine.leave(number) == "a")
        #expect(machine.leave(number) == nil)
        #expect(text(machine.endRefresh(1, with: .success(token("new")), at: at(0))) == ["b: new"])
    }

    @Test func theRefreshTokenStaysWhereThereIsNoNewOne() throws {
        var machine = machine(AccessToken("old", refreshToken: "r1"))
        _ = machine.refused(try grant(&machine), at: at(0), "a")
        _ = machine.endRefresh(1, with: .success(token("new")), at: at(0))
        #expect(machine.token?.refreshToken == "r1")
        _ = machine.refused(try grant(&machine), at: at(0), "a")
        _ = machine.endRefresh(
            2, with: .success(AccessToken("next", refreshToken: "r2")), at: at(0))
        #expect(machine.token?.refreshToken == "r2")
    }

    @Test func aRefreshTokenThatIsOverEndsAllRefreshes() throws {
        var machine = machine(token("old"))
        let old = try grant(&machine)
        _ = machine.refused(old, at: at(0), "a")
        let ended = machine.endRefresh(1, with: .failure(TokenRefresher.InvalidGrant()), at: at(1))
        #expect(text(ended) == ["a: InvalidGrant"])
        #expect(ended.isLatched)
        #expect(text(machine.ask(sendsOnce: false, at: at(1), "b")) == "fail InvalidGrant")
        #expect(text(machine.refused(old, at: at(1), "c")) == "fail InvalidGrant")
        #expect(text(machine.renew("d")) == "fail InvalidGrant")
        #expect(machine.waiting == 0)
        _ = machine.startSession(with: token("new"), at: at(2))
        #expect(text(machine.refused(try grant(&machine), at: at(2), "e")) == "wait+new")
    }

    @Test func aTokenThatIsGoodStaysInUseAfterThat() {
        var machine = machine(token("old", lifetime: 100))
        #expect(text(machine.ask(sendsOnce: true, at: at(95), "a")) == "wait+old")
        let ended = machine.endRefresh(1, with: .failure(TokenRefresher.InvalidGrant()), at: at(96))
        #expect(text(ended) == ["a: old"])
        #expect(text(machine.ask(sendsOnce: true, at: at(97), "b")) == "send old")
        #expect(text(machine.ask(sendsOnce: false, at: at(100), "c")) == "fail InvalidGrant")
    }

    @Test func a401SaysNothingAgainstANewToken() throws {
        var machine = Machine(token("old"), leeway: .zero, grace: .seconds(10), at: at(0))
        let old = try grant(&machine)
        #expect(text(machine.refused(old, at: at(0), "a")) == "wait+old")
        _ = machine.endRefresh(1, with: .success(token("new")), at: at(1))
        let new = try grant(&machine, at: 1)
        machine.reject(new, at: at(10))
        #expect(text(machine.refused(new, at: at(10), "b")) == "give back")
        #expect(text(machine.ask(sendsOnce: true, at: at(10), "c")) == "send new")
        #expect(text(machine.refused(new, at: at(11), "d")) == "wait+new")
    }
}

/// Random scripts, compared with a plain model of the state of each request.
@Suite(.oneAtATime) struct TokenScriptTests {
    @Test(arguments: 0..<20) func aTokenMachineAgreesWithAFlatAccount(seed: UInt64) {
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
