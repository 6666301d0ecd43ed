import Dispatch
import PledgeAdmission
import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices

@Suite(.oneAtATime) struct KeyedTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    /// A stack whose keys are tens, each with a breaker that opens at the first failure.
    private func breakers(
        limit: Int = 2, failsOpen: Bool = false, made: Locked<[Int]> = Locked([]),
        over upstream: Upstream
    ) -> Service<Ask, Int> {
        let scheduler = scheduler
        return stack(
            .observed(by: log.observer, on: scheduler),
            .keyed(
                by: { $0.number / 10 }, limit: limit, named: "tens", failsOpen: failsOpen
            ) { key in
                made.withLock { $0.append(key) }
                return .circuitBreaker(
                    sharing: CircuitBreaker(
                        named: "\(key)", failuresInARow: 1, lasting: .zero,
                        backoff: .constant(.seconds(5)), on: scheduler))
            }, over: upstream.send)
    }

    private var bypasses: [PolicyEvent] {
        log.elements.filter { if case .bypassed = $0.kind { true } else { false } }
    }

    @Test func theBreakerOfOneKeyOpensAndEventsNameIt() {
        let upstream = Upstream(
            on: scheduler, [.atOnce(.failure(Broken())), .value(2), .value(3)])
        let service = breakers(over: upstream)
        #expect(service(10).errorNow is Broken)
        #expect(service(11).serviceError?.code == .circuitOpen)
        let other = service(20)
        scheduler.run()
        #expect(other.valueNow == 2)
        #expect(upstream.count == 2)
        let changes = log.elements.filter { $0.kind.line.hasPrefix("stateChanged") }
        #expect(changes.map(\.policyName) == ["1"])
    }

    @Test func aKeyedMiddlewareIsMadeOnceForEachKey() {
        let made = Locked<[Int]>([])
        let upstream = Upstream(on: scheduler, [.value(1), .value(2), .value(3)])
        let service = breakers(made: made, over: upstream)
        for number in [10, 11, 12] { _ = service(Ask(number)) }
        scheduler.run()
        #expect(made.withLock { $0 } == [1])
    }

    @Test func theLeastRecentlyUsedKeyGivesItsMiddlewareUp() {
        let made = Locked<[Int]>([])
        let upstream = Upstream(on: scheduler, (0..<9).map { .atOnce(.success($0)) })
        let service = breakers(made: made, over: upstream)
        for number in [10, 20, 11, 30, 12, 21] { _ = service(Ask(number)) }
        // 30 took the place of 20, and 21 that of 30.
        #expect(made.withLock { $0 } == [1, 2, 3, 2])
        #expect(bypasses.isEmpty)
    }

    @Test func aKeyWithACallInFlightKeepsItsMiddleware() {
        let made = Locked<[Int]>([])
        let upstream = Upstream(
            on: scheduler, [.value(1, after: .seconds(1))] + (0..<9).map { .atOnce(.success($0)) })
        let service = breakers(made: made, over: upstream)
        let slow = service(10)
        for number in [20, 30, 40, 11] { _ = service(Ask(number)) }
        #expect(made.withLock { $0 } == [1, 2, 3, 4])
        slow.cancel()
        for number in [50, 60, 12] { _ = service(Ask(number)) }
        #expect(made.withLock { $0 } == [1, 2, 3, 4, 5, 6, 1])
    }

    @Test func aKeyWhoseBreakerIsOpenStaysUntilItCloses() {
        let made = Locked<[Int]>([])
        let upstream = Upstream(
            on: scheduler,
            [.atOnce(.failure(Broken()))] + (0..<9).map { .atOnce(.success($0)) })
        let service = breakers(made: made, over: upstream)
        for number in [10, 20, 30, 40] { _ = service(Ask(number)) }
        #expect(service(11).serviceError?.code == .circuitOpen)
        #expect(made.withLock { $0 } == [1, 2, 3, 4])
        scheduler.advance(by: .seconds(5))
        // The probe closes it.
        #expect(service(12).valueNow != nil)
        for number in [50, 60, 13] { _ = service(Ask(number)) }
        #expect(made.withLock { $0 } == [1, 2, 3, 4, 5, 6, 1])
    }

    /// Otherwise services that are never called again would fill the table.
    @Test func aKeyWhoseBreakerWouldLetAProbePassMayGo() {
        let made = Locked<[Int]>([])
        let upstream = Upstream(
            on: scheduler,
            [.atOnce(.failure(Broken()))] + (0..<9).map { .atOnce(.success($0)) })
        let service = breakers(limit: 1, made: made, over: upstream)
        _ = service(10)
        scheduler.advance(by: .milliseconds(4_999))
        _ = service(20)
        #expect(made.withLock { $0 } == [1])
        scheduler.advance(by: .milliseconds(1))
        _ = service(30)
        #expect(made.withLock { $0 } == [1, 3])
    }

    /// More hosts than keys, in turn, all of them down.
    @Test func aKeyedBreakerOpensThoughThereAreMoreKeysThanRoom() {
        let scheduler = scheduler
        let upstream = Upstream(
            on: scheduler, Array(repeating: .atOnce(.failure(Broken())), count: 9_999))
        let service = stack(
            .keyed(by: { $0.number }, limit: 10) { _ in
                .circuitBreaker(
                    sharing: CircuitBreaker(failuresInARow: 5, lasting: .zero, on: scheduler))
            }, over: upstream.send)
        var refused = 0
        for _ in 1...10 {
            for host in 0..<20 {
                if service(Ask(host)).serviceError?.code == .circuitOpen { refused += 1 }
            }
        }
        // The ten that came first stay, since they count failures; they are refused from their sixth call on.
        #expect(refused == 10 * 5)
    }

    /// The count of questions does not grow with the count of keys.
    @Test func aNewKeyAsksFewOthersWhetherTheyAreIdle() {
        let asked = Locked(0)
        let service = stack(
            .keyed(by: { (ask: Ask) in ask.number }, limit: 500, failsOpen: true) { _ in
                Middleware(
                    isIdle: {
                        asked.withLock { $0 += 1 }
                        return false
                    }
                ) { $0 }
            }, over: { Future(value: $0.number) })
        for number in 0..<500 { _ = service(Ask(number)) }
        for number in 500..<600 { #expect(service(Ask(number)).valueNow == number) }
        #expect(asked.withLock { $0 } == 100 * 8)
    }

    @Test func aCallOfANewKeyIsRefusedIfNoOtherKeyCanGo() {
        let made = Locked<[Int]>([])
        let upstream = Upstream(
            on: scheduler, [.value(1, after: .seconds(1)), .atOnce(.failure(Broken()))])
        let service = breakers(made: made, over: upstream)
        let slow = service(10)
        _ = service(20)
        let third = service(30)
        #expect(third.serviceError?.code == .keysFull)
        #expect(third.serviceError?.policyName == "tens")
        scheduler.run()
        #expect(slow.valueNow == 1)
        #expect(made.withLock { $0 } == [1, 2])
        #expect(log.lines.count { $0.contains("refused(") } == 1)
        #expect(bypasses.isEmpty)
    }

    /// Each key has a call in flight, and may make no other.
    @Test func aLimitOfEachKeyHoldsForMoreKeysThanRoom() {
        let upstream = Upstream(on: scheduler)
        let scheduler = scheduler
        let service = stack(
            .keyed(by: { $0.number }, limit: 100) { _ in
                .rateLimit(
                    sharing: RateLimiter(
                        rate: 1, per: .seconds(60), maxWait: .zero, on: scheduler))
            }, over: upstream.send)
        for key in 0..<100 { _ = service(Ask(key)) }
        for key in [7, 500, 501] { for _ in 0..<500 { _ = service(Ask(key)) } }
        #expect(upstream.arrivals.map(\.ask.number) == Array(0..<100))
    }

    @Test func aKeyedMiddlewareThatFailsOpenLetsACallPassIfNoKeyCanGo() {
        let made = Locked<[Int]>([])
        let upstream = Upstream(
            on: scheduler, [.value(1, after: .seconds(1)), .atOnce(.failure(Broken())), .value(3)])
        let service = breakers(failsOpen: true, made: made, over: upstream)
        let slow = service(10)
        _ = service(20)
        let third = service(30)
        scheduler.run()
        #expect(slow.valueNow == 1)
        #expect(third.valueNow == 3)
        #expect(made.withLock { $0 } == [1, 2])
        #expect(bypasses.map(\.policyName) == ["tens"])
        #expect(bypasses.map(\.policy) == ["keyed"])
    }

    @Test func aKeyWithAnIdleMiddlewareHoldsNoTimer() {
        let upstream = Upstream(on: scheduler, (0..<5).map { .value($0) })
        let scheduler = scheduler
        let service = stack(
            .keyed(by: { $0.number }) { _ in
                .circuitBreaker(sharing: CircuitBreaker(on: scheduler)).around(
                    .rateLimit(
                        sharing: RateLimiter(
                            rate: 1, per: .seconds(1), maxWait: .seconds(9), on: scheduler))
                ).around(.timeout(.seconds(2), on: scheduler))
            }, over: upstream.send)
        for number in 0..<5 { _ = service(Ask(number)) }
        #expect(!scheduler.isIdle)
        scheduler.advance(by: .milliseconds(10))
        #expect(upstream.settled == 5)
        #expect(scheduler.isIdle)
    }

    @Test func aKeyWhoseRateIsUsedUpKeepsItsMiddleware() {
        let made = Locked<[Int]>([])
        let scheduler = scheduler
        let upstream = Upstream(on: scheduler, (0..<9).map { .atOnce(.success($0)) })
        let service = stack(
            .keyed(by: { $0.number }, limit: 1) { key in
                made.withLock { $0.append(key) }
                return .rateLimit(
                    sharing: RateLimiter(
                        rate: 1, per: .seconds(1), maxWait: .zero, on: scheduler))
            }, over: upstream.send)
        for number in [1, 2, 1] { _ = service(Ask(number)) }
        #expect(made.withLock { $0 } == [1])
        #expect(upstream.count == 1)
        scheduler.advance(by: .seconds(1))
        _ = service(2)
        #expect(made.withLock { $0 } == [1, 2])
    }

    @Test func aCustomMiddlewareSaysWhetherItsKeyMayGo() {
        let isBusy = Locked(true)
        let made = Locked<[Int]>([])
        let upstream = Upstream(on: scheduler, (0..<9).map { .atOnce(.success($0)) })
        let service = stack(
            .keyed(by: { $0.number }, limit: 1) { key in
                made.withLock { $0.append(key) }
                let own = Middleware<Ask, Int>(isIdle: { isBusy.withLock { !$0 } }) { $0 }
                return Middleware(stacking: [.passThrough, .passThrough.around(own)])
            }, over: upstream.send)
        for number in [1, 2] { _ = service(Ask(number)) }
        #expect(made.withLock { $0 } == [1])
        isBusy.withLock { $0 = false }
        _ = service(2)
        #expect(made.withLock { $0 } == [1, 2])
    }

    @Test func aKeyedCoalesceSharesCallsOfOneKey() {
        let upstream = Upstream(on: scheduler, [.value(1), .value(2)])
        let service = stack(
            .keyed(by: { $0.number / 10 }) { _ in .coalesce(by: { $0.number / 10 }) },
            over: upstream.send)
        let calls = [service(10), service(11), service(20)]
        scheduler.run()
        #expect(calls.map(\.valueNow) == [1, 1, 2])
        #expect(upstream.count == 2)
    }

    @Test func thereIsNoRoomForAKeyThatIsNotEqualToItself() {
        let upstream = Upstream(on: scheduler, [.value(1)])
        let service = stack(
            .keyed(by: { _ in Double.nan }) { _ in .passThrough }, over: upstream.send)
        #expect(service(1).serviceError?.code == .keysFull)
        #expect(upstream.count == 0)
    }

    @Test func aKeyedMiddlewareThatFailsOpenLetsAKeyThatIsNotEqualToItselfPass() {
        let upstream = Upstream(on: scheduler, [.value(1)])
        let service = stack(
            .observed(by: log.observer, on: scheduler),
            .keyed(by: { _ in Double.nan }, failsOpen: true) { _ in
                Issue.record("a NaN has no middleware")
                return .passThrough
            }, over: upstream.send)
        _ = service(1)
        scheduler.run()
        #expect(bypasses.count == 1)
    }

    /// The objects of a key's middleware are released without a lock, so they may call the stack.
    @Test func aKeysMiddlewareMayCallTheStackAsItIsFreed() {
        final class Caller: Sendable {
            let service = Locked<Service<Ask, Int>?>(nil)
            deinit { _ = service.withLock { $0 }?(99) }
        }
        let stacked = Locked<Service<Ask, Int>?>(nil)
        let upstream = Upstream(on: scheduler, (0..<9).map { .atOnce(.success($0)) })
        let service = stack(
            .keyed(by: { $0.number }, limit: 1) { key in
                let caller = key == 1 ? Caller() : nil
                caller?.service.withLock { $0 = stacked.withLock { $0 } }
                return Middleware<Ask, Int> { next in
                    { input in withExtendedLifetime(caller) { next(input) } }
                }
            }, over: upstream.send)
        stacked.withLock { $0 = service }
        _ = service(1)
        _ = service(2)
        #expect(upstream.arrivals.map(\.ask.number) == [1, 99, 2])
        stacked.withLock { $0 = nil }
    }

    @Test func callsOfManyThreadsGetTheMiddlewareOfTheirKey() {
        let alive = Locked<[Int: Int]>([:])
        let wrong = Locked(0)
        let scheduler = scheduler
        let service = stack(
            .keyed(by: { (number: Int) in number }, limit: 8) { key in
                Middleware<Int, Int> { next in
                    { number in
                        if number != key { wrong.withLock { $0 += 1 } }
                        alive.withLock { $0[key, default: 0] += 1 }
                        return next(number)
                    }
                }
            },
            over: { number in
                number % 2 == 0
                    ? Future(value: number)
                    : Future(value: number).delay(.milliseconds(1), on: scheduler)
            })
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for step in 0..<2_000 {
                let key = Int.random(in: 0..<20, using: &generator)
                let call = service(key)
                call.onSuccess { if $0 != key { wrong.withLock { $0 += 1 } } }
                if step % 5 == 0 { call.cancel() }
                if step % 9 == 0 { scheduler.advance(by: .milliseconds(1)) }
            }
        }
        scheduler.run()
        #expect(wrong.withLock { $0 } == 0)
        #expect(alive.withLock { $0.count } == 20)
    }

    #if os(macOS) || os(Linux)
    @Test func aKeyedLimitOfNoKeyTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Middleware<Int, Int>.keyed(by: { $0 }, limit: 0) { _ in .passThrough } }
        expectTrap("keyed needs a limit of at least 1, not 0", in: result)
    }
    #endif
}

/// The table of keys compared with a list that is searched.
@Suite struct KeyTableTests {
    typealias Table = KeyTable<Int, Int>

    /// The same as a list: the keys in the order in which they became unused, those in use at the end.
    struct Naive {
        var keys: [(key: Int, value: Int, users: Int)] = []

        func index(of key: Int) -> Int? { keys.firstIndex { $0.key == key } }

        var unused: [Int] { keys.filter { $0.users == 0 }.map(\.key) }
    }

    @Test(arguments: 0..<200) func aTableOfKeysAgreesWithAList(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let limit = Int.random(in: 1...4, using: &generator)
        var table = Table(limit: limit)
        var naive = Naive()
        var slots: [Int: Int] = [:]
        for step in 0..<200 {
            let key = Int.random(in: 0..<6, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                let entered = table.addUser(of: key, adding: step)
                if let index = naive.index(of: key) {
                    naive.keys[index].users += 1
                    #expect(entered?.1 == naive.keys[index].value)
                } else if naive.keys.count < limit {
                    naive.keys.append((key, step, 1))
                    #expect(entered?.1 == step)
                } else {
                    #expect(entered == nil)
                }
                slots[key] = entered?.slot
            case 1:
                guard let index = naive.index(of: key), naive.keys[index].users > 0,
                    let slot = slots[key]
                else { break }
                table.leave(slot)
                naive.keys[index].users -= 1
                if naive.keys[index].users == 0 { naive.keys.append(naive.keys.remove(at: index)) }
            case 2:
                guard let oldest = table.oldest else {
                    #expect(naive.unused.isEmpty)
                    break
                }
                let removed = table.remove(oldest)
                #expect(removed?.0 == naive.unused.first)
                naive.keys.removeAll { $0.key == removed?.0 }
            default:
                guard let oldest = table.oldest, let first = naive.unused.first,
                    let index = naive.index(of: first)
                else { break }
                table.postpone(oldest)
                naive.keys.append(naive.keys.remove(at: index))
            }
            #expect(table.count == naive.keys.count)
            #expect(table.idleCount == naive.unused.count)
            #expect(table.isFull == (naive.keys.count >= limit))
        }
    }

    @Test func aTableOfKeysDoesNotRemoveAKeyThatWasUsedMeanwhile() throws {
        var table = Table(limit: 2)
        let slot = try #require(table.addUser(of: 1, adding: 10)?.slot)
        table.leave(slot)
        let oldest = try #require(table.oldest)
        _ = table.addUser(of: 1)
        #expect(table.remove(oldest) == nil)
        table.leave(slot)
        #expect(table.remove(oldest) == nil)
        #expect(table.count == 1)
    }
}
