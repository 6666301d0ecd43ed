// Exit tests capture values since Swift 6.3.
#if os(Linux) && compiler(>=6.3)
import Foundation
import HTTPTestSupport
import Pledge
import PledgeTraffic
import TestSupport
import Testing

// snippet: limiter
func limiter(port: UInt16, failing: SharedState.Failing) -> RateLimiter {
    let shop = SharedState(
        "shop", in: RedisPolicyStore(port: port), failing: failing, timeLimit: .seconds(10))
    return RateLimiter(rate: 3, per: .seconds(3_600), burst: 3, maxWait: .zero, shared: shop)
}
// end snippet

/// The store of Docs/Guides/ManyMachines.md over a real server; without one installed, they do nothing.
@Suite(.oneAtATime) struct RedisPolicyStoreTests {
    private static func machine(
        port: UInt16, failing: SharedState.Failing = .closed
    ) -> Service<Int, Int> {
        stack(
            .rateLimit(sharing: limiter(port: port, failing: failing)),
            over: { Future(value: $0) })
    }

    private static func place(_ port: UInt16) -> SharedState {
        SharedState(
            "shop", in: RedisPolicyStore(port: port), failing: .closed, timeLimit: .seconds(60))
    }

    private static func code(_ call: Future<Int>) async -> ServiceError? {
        do { _ = try await call.value } catch { return error as? ServiceError }
        return nil
    }

    @Test("two processes share a limit, and the server is lost midway")
    func twoProcessesShareALimit() async throws {
        let folder = try TestFolder()
        guard let redis = try await RedisServer.start(in: folder.url) else { return }
        let port = Int(redis.port)
        await #expect(processExitsWith: .success) { [port = port as Int] in
            let machine = Self.machine(port: UInt16(port))
            for number in 1...2 { _ = try await machine(number).value }
        }
        let (closed, open) = (
            Self.machine(port: redis.port), Self.machine(port: redis.port, failing: .open)
        )
        #expect(try await closed(3).value == 3)
        let refusal = await Self.code(open(4))
        #expect(refusal?.code == .rateLimited)
        // A third of an hour, less the time that the test has taken.
        #expect(
            refusal?.retryAfter.map { (.seconds(900) ... .seconds(1_200)).contains($0) } == true)

        redis.program.stop()
        // The limiter knows that it has just been refused; another one has to ask.
        let other = Self.machine(port: redis.port, failing: .open)
        for number in 5...7 { #expect(try await other(number).value == number) }
        #expect(await Self.code(other(8))?.code == .rateLimited)
        let failure = await Self.code(Self.machine(port: redis.port)(9))
        #expect(failure?.code == .storeFailed)
        #expect(failure?.cause is RedisConnection.Failure)
    }

    @Test("a store connects again, however many calls fail at once meanwhile")
    func aStoreConnectsAgain() async throws {
        let folder = try TestFolder()
        guard let redis = try await RedisServer.start(in: folder.url) else { return }
        let store = RedisPolicyStore(port: redis.port)
        _ = try await store.set([1], for: "a", lifetime: .seconds(3_600)).value
        try RedisConnection(port: redis.port).send("CLIENT", "KILL", "TYPE", "normal")
        let values = ExampleLog()
        #expect(
            await comesTrue {
                store.value(for: "a").observe { result in
                    if case .success([1]?) = result { values.add("1") }
                }
                return !values.lines.isEmpty
            })
    }

    @Test func callsWaitForTurnsThatTheRedisServerGives() async throws {
        let folder = try TestFolder()
        guard let redis = try await RedisServer.start(in: folder.url) else { return }
        let scheduler = ManualScheduler()
        let machines = (1...2).map { _ in
            let limiter = RateLimiter(
                rate: 1, per: .seconds(3_600), maxWait: .seconds(10_000),
                shared: Self.place(redis.port), on: scheduler)
            return stack(
                .rateLimit(sharing: limiter), over: { (number: Int) in Future(value: number) })
        }
        #expect(try await machines[0](1).value == 1)
        let waiting = machines[1](2)
        #expect(await comesTrue { !scheduler.isIdle })
        scheduler.advance(by: .seconds(3_000))
        #expect(!waiting.isSettled)
        scheduler.advance(by: .seconds(600))
        #expect(try await waiting.value == 2)
    }

    @Test func twoConnectionsShareTheBalanceOfARetryBudget() async throws {
        let folder = try TestFolder()
        guard let redis = try await RedisServer.start(in: folder.url) else { return }
        struct Broken: Error {}
        let attempts = ExampleLog()
        func call(_ budget: RetryBudget, fails: Bool) async {
            let service: Service<Int, Int> = stack(
                .retry(Retry(attempts: 9, backoff: .constant(.zero)), budget: budget),
                over: { _ in
                    attempts.add("")
                    return fails ? Future(error: Broken()) : Future(value: 1)
                })
            _ = try? await service(1).value
        }
        let (first, second) = (
            RetryBudget(capacity: 2, retriesPerSuccess: 1, shared: Self.place(redis.port)),
            RetryBudget(capacity: 2, retriesPerSuccess: 1, shared: Self.place(redis.port))
        )
        await call(first, fails: true)
        #expect(attempts.lines.count == 3)
        await call(second, fails: true)
        #expect(attempts.lines.count == 4)
        await call(second, fails: false)
        let connection = RedisConnection(port: redis.port)
        #expect(
            await comesTrue {
                guard case .list(let parts)? = try? connection.send("HMGET", "shop:retry", "level"),
                    case .text(let level)? = parts.first
                else { return false }
                return level == Data("1".utf8)
            })
        await call(first, fails: true)
        #expect(attempts.lines.count == 7)
    }

    @Test("two connections share a memo, and a foreign value is a miss")
    func twoConnectionsShareAMemo() async throws {
        let folder = try TestFolder()
        guard let redis = try await RedisServer.start(in: folder.url) else { return }
        let asked = ExampleLog()
        func machine() -> (SharedMemo<[String]>, Service<Int, [String]>) {
            let memo = SharedMemo<[String]>(
                timeToLive: .seconds(3_600), shared: Self.place(redis.port),
                encode: { Array(try JSONEncoder().encode($0)) },
                decode: { try JSONDecoder().decode([String].self, from: Data($0)) })
            let load = stack(
                .memoize(by: { "\($0)" }, sharing: memo),
                over: { (number: Int) in
                    asked.add("\(number)")
                    return Future(value: ["product \(number)", "\u{0}é"])
                })
            return (memo, load)
        }
        let ((first, load), (_, other)) = (machine(), machine())
        let answer = try await load(7).value
        let connection = RedisConnection(port: redis.port)
        // An answer is written in the background.
        var stored: Data? {
            guard case .text(let text)? = try? connection.send("GET", "shop:memoize:7") else {
                return nil
            }
            return text
        }
        #expect(await comesTrue { stored != nil })
        let written = stored
        #expect(try await other(7).value == answer)
        #expect(asked.lines == ["7"])

        for foreign in ["no base64!", "e30="] {
            try connection.send("SET", "shop:memoize:7", foreign)
            #expect(try await other(7).value == answer)
            #expect(await comesTrue { stored == written })
        }
        #expect(asked.lines.count == 3)
        _ = try await first.invalidate("7").value
        guard case .nothing = try connection.send("GET", "shop:memoize:7") else {
            Issue.record("the value is still there")
            return
        }
    }
}
#endif
