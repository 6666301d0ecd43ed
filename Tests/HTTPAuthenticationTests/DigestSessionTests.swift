import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

@testable import PledgeHTTPAuthentication

@Suite struct DigestMachineTests {
    private var machine = DigestMachine<String>()

    private func challenge(_ rest: String, realm: String = "r") throws -> DigestChallenge {
        let headers: HTTPHeaders = [
            "WWW-Authenticate": "Digest realm=\(realm), qop=auth, \(rest)"
        ]
        return try #require(DigestChallenge.strongest(in: headers))
    }

    /// The answer to `ask`, in one word.
    private mutating func ask(_ target: String = "/", _ waiter: String = "") -> String {
        switch machine.ask(target, waiter) {
        case .send(let grant): "\(grant.challenge.nonce) \(grant.count)"
        case .sendBare: "bare"
        case .probe(let number): "probe \(number)"
        case .wait(let number): "wait \(number)"
        }
    }

    @discardableResult
    private mutating func learn(
        _ rest: String, realm: String = "r", for prefixes: [String]? = nil,
        refusing grant: DigestGrant? = nil
    ) throws -> Bool {
        machine.challenged(
            try challenge(rest, realm: realm), for: prefixes, refusing: grant, clientNonce: "c")
    }

    @Test mutating func whoWaitsGoesInOrder() {
        #expect(ask() == "probe 1")
        #expect(ask("/", "a") == "wait 2" && ask("/", "b") == "wait 3" && ask("/", "c") == "wait 4")
        #expect(machine.leave(3) == "b")
        #expect(machine.endProbe(2, isAnswered: true) == [] && !machine.isIdle)
        #expect(machine.endProbe(1, isAnswered: true) == ["a", "c"])
        #expect(machine.endProbe(1, isAnswered: true) == [] && machine.isIdle)
        #expect(ask() == "bare")
    }

    @Test mutating func aProbeWithoutAnAnswerIsFollowedByAnother() {
        #expect(ask() == "probe 1")
        #expect(machine.endProbe(1, isAnswered: false) == [])
        #expect(ask() == "probe 2")
    }

    @Test mutating func aNewerNonceIsKept() throws {
        try learn("nonce=n1")
        guard case .send(let old) = machine.ask("/", "") else { return #expect(Bool(false)) }
        #expect(try learn("nonce=n2, stale=true", refusing: old))
        #expect(try learn("nonce=n3, stale=true", refusing: old))
        #expect(ask() == "n2 1")
        machine.accepted(old, nextNonce: "n4")
        #expect(ask() == "n2 2")
    }

    @Test mutating func aSessionOutlivesItsNonce() throws {
        try learn("nonce=n1, algorithm=MD5-sess")
        guard case .send(let first) = machine.ask("/", "") else { return #expect(Bool(false)) }
        machine.accepted(first, nextNonce: "n2")
        guard case .send(let next) = machine.ask("/", "") else { return #expect(Bool(false)) }
        #expect(next.challenge.nonce == "n2" && next.count == 1)
        #expect(next.session == .init(nonce: "n1", clientNonce: "c"))
    }

    @Test mutating func theSpaceThatWasChallengedLastComesFirst() throws {
        try learn("nonce=n1", realm: "one")
        try learn("nonce=n2", realm: "two", for: ["/two"])
        #expect(ask("/two/a") == "n2 1" && ask("/two?a") == "n2 2" && ask("/two") == "n2 3")
        #expect(ask("/twofold") == "n1 1" && ask("/") == "n1 2")
        #expect(machine.grant(forRealm: "two")?.count == 4)
        #expect(machine.grant(forRealm: "three") == nil)
    }

    @Test mutating func onlySoManySpacesAreKept() throws {
        for number in 0...DigestMachine<String>.mostSpaces {
            try learn("nonce=n\(number)", realm: "r\(number)", for: ["/\(number)/"])
        }
        #expect(ask("/0/") == "bare" && ask("/1/") == "n1 1" && ask("/8/") == "n8 1")
    }
}

/// Threads send and cancel, while nonces become stale and the server answers on other threads.
@Suite(.oneAtATime) struct DigestContentionTests {
    @Test func everyRequestEndsAndNoUseIsSentTwice() {
        let server = DigestServer()
        server.change { $0.uses = 20 }
        let queue = DispatchQueue(label: "server", attributes: .concurrent)
        let send: HTTPService = stack(
            .authorize(.digest(user: "Mufasa", password: "Circle of Life"), for: .all),
            over: { request in
                Future.make { resolver in
                    queue.async { resolver.resolve(with: server.answer(request)) }
                }
            })
        let ended = Locked(0)
        let group = DispatchGroup()
        onThreads(4) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for step in 0..<100 {
                group.enter()
                let future = send(HTTPRequest(at: "https://api.example.com/\(step)"))
                future.observe { _ in
                    ended.withLock { $0 += 1 }
                    group.leave()
                }
                if Int.random(in: 0..<10, using: &generator) == 0 { future.cancel() }
            }
        }
        group.wait()
        #expect(ended.withLock { $0 } == 400)
        let uses = zip(server.sent("nonce"), server.sent("nc")).compactMap { nonce, count in
            nonce.map { "\($0) \(count ?? "")" }
        }
        #expect(uses.count > 200 && Set(uses).count == uses.count)
    }
}
