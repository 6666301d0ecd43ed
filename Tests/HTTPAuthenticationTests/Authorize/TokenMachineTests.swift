import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
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

    @Test func signedOutItGoesWithout() {
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
        let ended = machine.end(1, with: .success(token("new")), at: at(1))
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
        let ended = machine.end(1, with: .failure(Broken()), at: at(1))
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
        _ = machine.end(1, with: .success(token("new")), at: at(1))
        machine.reject(old, at: at(1))
        #expect(text(machine.ask(sendsOnce: true, at: at(1), "b")) == "send new")
        // The new token is refused as well: a request with an old 401 then waits for the next token.
        machine.reject(try grant(&machine), at: at(1))
        #expect(text(machine.refused(old, at: at(1), "c")) == "wait+new")
    }

    @Test func timePasses() {
        var machine = machine(token("old", lifetime: 100))
        #expect(text(machine.ask(sendsOnce: true, at: at(89), "a")) == "send old")
        // Within the leeway the first request begins the refresh, and no request waits needlessly.
        #expect(text(machine.ask(sendsOnce: false, at: at(90), "b")) == "send old+old")
        #expect(text(machine.ask(sendsOnce: false, at: at(99), "c")) == "send old")
        #expect(text(machine.ask(sendsOnce: true, at: at(99), "d")) == "wait")
        #expect(text(machine.ask(sendsOnce: false, at: at(100), "e")) == "wait")
        let ended = machine.end(1, with: .success(token("new", lifetime: 5)), at: at(100))
        #expect(text(ended) == ["d: new", "e: new"])
        // The leeway is at most half of the lifetime.
        #expect(text(machine.ask(sendsOnce: false, at: at(102), "f")) == "send new")
        #expect(text(machine.ask(sendsOnce: false, at: at(103), "g")) == "send new+new")
    }

    @Test func aFailedRefreshLeavesAValidTokenInUse() {
        var machine = machine(token("old", lifetime: 100))
        #expect(text(machine.ask(sendsOnce: true, at: at(95), "a")) == "wait+old")
        #expect(text(machine.renew("b")) == "wait")
        let ended = machine.end(1, with: .failure(Broken()), at: at(99))
        #expect(text(ended) == ["a: old", "b: Broken"])
        #expect(text(machine.ask(sendsOnce: true, at: at(100), "c")) == "wait+old")
        #expect(text(machine.end(2, with: .failure(Broken()), at: at(101))) == ["c: Broken"])
    }

    @Test func aTokenThatIsOverAtOnceIsUsedByThoseWhoWaitedForIt() throws {
        var machine = machine(token("old"))
        let old = try grant(&machine)
        _ = machine.refused(old, at: at(0), "a")
        let ended = machine.end(1, with: .success(token("new", lifetime: 0)), at: at(0))
        #expect(text(ended) == ["a: new"])
        #expect(text(machine.ask(sendsOnce: false, at: at(0), "b")) == "wait+new")
    }

    @Test func sessionsDoNotMix() throws {
        var machine = machine(token("mine"))
        let mine = try grant(&machine)
        _ = machine.refused(mine, at: at(0), "a")
        let out = machine.startSession(with: token("yours"), at: at(1))
        #expect(text(out) == ["a: SessionEnded"])
        #expect(out.hasChanged)
        #expect(text(machine.end(1, with: .success(token("late")), at: at(2))) == [])
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
        #expect(text(machine.end(1, with: .failure(Broken()), at: at(0))) == [])
        #expect(text(machine.end(2, with: .success(token("new")), at: at(0))) == ["b: new"])
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
        #expect(text(machine.end(1, with: .success(token("new")), at: at(0))) == ["b: new"])
    }

    @Test func theRefreshTokenStaysWhereThereIsNoNewOne() throws {
        var machine = machine(AccessToken("old", refreshToken: "r1"))
        _ = machine.refused(try grant(&machine), at: at(0), "a")
        _ = machine.end(1, with: .success(token("new")), at: at(0))
        #expect(machine.token?.refreshToken == "r1")
        _ = machine.refused(try grant(&machine), at: at(0), "a")
        _ = machine.end(2, with: .success(AccessToken("next", refreshToken: "r2")), at: at(0))
        #expect(machine.token?.refreshToken == "r2")
    }

    @Test func aRefreshTokenThatIsOverEndsAllRefreshes() throws {
        var machine = machine(token("old"))
        let old = try grant(&machine)
        _ = machine.refused(old, at: at(0), "a")
        let ended = machine.end(1, with: .failure(TokenRefresher.InvalidGrant()), at: at(1))
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
        let ended = machine.end(1, with: .failure(TokenRefresher.InvalidGrant()), at: at(96))
        #expect(text(ended) == ["a: old"])
        #expect(text(machine.ask(sendsOnce: true, at: at(97), "b")) == "send old")
        #expect(text(machine.ask(sendsOnce: false, at: at(100), "c")) == "fail InvalidGrant")
    }

    @Test func a401SaysNothingAgainstANewToken() throws {
        var machine = Machine(token("old"), leeway: .zero, grace: .seconds(10), at: at(0))
        let old = try grant(&machine)
        #expect(text(machine.refused(old, at: at(0), "a")) == "wait+old")
        _ = machine.end(1, with: .success(token("new")), at: at(1))
        let new = try grant(&machine, at: 1)
        machine.reject(new, at: at(10))
        #expect(text(machine.refused(new, at: at(10), "b")) == "give back")
        #expect(text(machine.ask(sendsOnce: true, at: at(10), "c")) == "send new")
        #expect(text(machine.refused(new, at: at(11), "d")) == "wait+new")
    }
}
