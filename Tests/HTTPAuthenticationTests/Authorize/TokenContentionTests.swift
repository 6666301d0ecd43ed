import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPNetworking
import PledgeServices
import TestSupport
import Testing

/// Threads send, cancel and sign in, while tokens are revoked and refreshes end on other threads.
@Suite(.oneAtATime) struct TokenContentionTests {
    private let valid = Locked(0)
    private let underWay = Locked((now: 0, most: 0))
    private let told = Locked<[Int]>([])

    private func number(_ token: String?) -> Int {
        Int(token?.split(separator: "t").last ?? "") ?? -1
    }

    private func refresher(ending queue: DispatchQueue) -> TokenRefresher {
        let (valid, underWay, told) = (valid, underWay, told)
        return TokenRefresher(
            AccessToken("t0"), grace: .zero,
            onChange: { token in told.withLock { $0.append(number(token?.value)) } },
            refresh: { _ in
                underWay.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                return Future.make { resolver in
                    queue.async {
                        let next = valid.withLock { $0 }
                        underWay.withLock { $0.now -= 1 }
                        resolver.resolve(with: AccessToken("t\(next)"))
                    }
                }
            })
    }

    @Test func oneRefreshAtATimeAndEveryRequestEnds() {
        let queue = DispatchQueue(label: "refreshes")
        let refresher = refresher(ending: queue)
        let valid = valid
        let server = DispatchQueue(label: "server", attributes: .concurrent)
        let send: HTTPService = stack(
            .authorize(.bearer(from: refresher), for: .all),
            over: { request in
                let sent = number(request.headers["Authorization"])
                return Future.make { resolver in
                    server.async {
                        let isGood = sent == valid.withLock { $0 }
                        resolver.resolve(with: HTTPResponse(status: isGood ? 200 : 401))
                    }
                }
            })
        let (ended, others) = (Locked(0), Locked<[String]>([]))
        let group = DispatchGroup()
        onThreads(4) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for step in 0..<1_000 {
                group.enter()
                let future = send(TokenFixture.request("/\(step)"))
                future.observe { result in
                    ended.withLock { $0 += 1 }
                    switch result {
                    case .success, .failure(is CancellationError): break
                    case .failure(let error): others.withLock { $0.append("\(error)") }
                    }
                    group.leave()
                }
                switch Int.random(in: 0..<20, using: &generator) {
                case 0: valid.withLock { $0 += 1 }
                case 1..<4: future.cancel()
                default: break
                }
            }
        }
        group.wait()
        queue.sync {}
        #expect(ended.withLock { $0 } == 4_000)
        #expect(others.withLock { $0 } == [])
        #expect(underWay.withLock { $0.most } == 1)
        #expect(told.withLock { $0 } == told.withLock { $0.sorted() })
        #expect(told.withLock { $0.count } > 0)
    }

    @Test func changesAreToldInOrderOnOneThreadAtATime() {
        let told = Locked<[String?]>([])
        let inside = Locked((now: 0, most: 0))
        let refresher = TokenRefresher(
            onChange: { token in
                inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                told.withLock { $0.append(token?.value) }
                inside.withLock { $0.now -= 1 }
            },
            refresh: { _ in Future(value: AccessToken("refreshed")) })
        onThreads(4) { thread in
            for step in 0..<500 {
                switch step % 3 {
                case 0: refresher.signIn(with: AccessToken("\(thread)"))
                case 1: _ = refresher.refresh()
                default: refresher.signOut()
                }
            }
        }
        #expect(inside.withLock { $0.most } == 1)
        // The last reported change is the present token.
        #expect(told.withLock { $0.last } == .some(refresher.token?.value))
    }
}
