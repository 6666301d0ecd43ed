import PledgeFutures
import TestSupport
import Testing

@testable import PledgeServices

@Suite struct AdaptiveConcurrencyTests {
    let scheduler = ManualScheduler()
    let log = TestLog<ConcurrencySample>()

    private func limit(
        _ size: Int, queue: Int = 0, queueTimeout: Duration? = nil
    ) -> AdaptiveConcurrency {
        AdaptiveConcurrency(
            algorithm: .fixed(size, log), queue: queue, queueTimeout: queueTimeout, on: scheduler)
    }

    private func service(
        _ limit: AdaptiveConcurrency, _ upstream: Upstream
    ) -> Service<Ask, Int> {
        stack(.adaptiveConcurrency(sharing: limit), over: upstream.send)
    }

    @Test func aCallWithoutAPlaceIsRefused() {
        let upstream = Upstream(on: scheduler)
        let limit = limit(2)
        let service = service(limit, upstream)
        let calls = (1...3).map { service(Ask($0)) }
        #expect(calls[2].serviceError?.code == .concurrencyLimited)
        #expect(calls[2].serviceError?.isRefusal == true)
        #expect((limit.limit, limit.inFlight, limit.queued) == (2, 2, 0))
        #expect(upstream.count == 2)
        upstream.settle(0, .success(1))
        #expect(service(4).result == nil)
        #expect(log.elements.count == 1)
    }

    @Test func anAnswerIsASampleWithItsTimes() throws {
        let upstream = Upstream(on: scheduler, [.value(1, after: .seconds(5)), .value(2)])
        let service = service(limit(9), upstream)
        scheduler.advance(by: .seconds(1))
        let calls = [service(1), service(2)]
        scheduler.run()
        #expect(calls.map(\.valueNow) == [1, 2])
        let samples = log.elements
        try #require(samples.count == 2)
        #expect(samples.map(\.inFlight) == [2, 1])
        #expect(samples.map(\.start.offset) == [.seconds(1), .seconds(1)])
        #expect(samples.map(\.end.offset) == [.milliseconds(1_010), .seconds(6)])
        #expect(samples.allSatisfy { !$0.isDrop })
    }

    @Test func waitingCallsAreMadeInOrderAndTimedFromTheirTurn() throws {
        let upstream = Upstream(on: scheduler)
        let limit = limit(1, queue: 2)
        let service = service(limit, upstream)
        let calls = (1...4).map { service(Ask($0)) }
        #expect(calls[3].serviceError?.code == .concurrencyLimited)
        #expect(limit.queued == 2)
        for index in 0..<3 {
            scheduler.advance(by: .seconds(1))
            upstream.settle(index, .success(index))
        }
        #expect(calls.prefix(3).map(\.valueNow) == [0, 1, 2])
        #expect(upstream.arrivals.map(\.ask.number) == [1, 2, 3])
        #expect(log.elements.map(\.roundTrip) == [1_000_000_000, 1_000_000_000, 1_000_000_000])
        #expect(log.elements.map(\.inFlight) == [1, 1, 1])
    }

    @Test func aWaitHasALimit() {
        let upstream = Upstream(on: scheduler)
        let limit = limit(1, queue: 1, queueTimeout: .milliseconds(500))
        let service = service(limit, upstream)
        let calls = [service(1), service(2)]
        scheduler.advance(by: .milliseconds(500))
        #expect(calls[1].serviceError?.code == .queueTimedOut)
        #expect(calls[1].serviceError?.limit == .milliseconds(500))
        #expect(limit.queued == 0)
        upstream.settle(0, .success(1))
        #expect(upstream.count == 1)
        #expect(limit.inFlight == 0)
        #expect(scheduler.isIdle)
    }

    @Test func cancellingFreesThePlaceOrTheEntry() {
        let upstream = Upstream(on: scheduler)
        let limit = limit(1, queue: 2)
        let service = service(limit, upstream)
        let calls = (1...3).map { service(Ask($0)) }
        calls[1].cancel()
        #expect(limit.queued == 1)
        calls[0].cancel()
        #expect(upstream.arrivals.map(\.ask.number) == [1, 3])
        calls[2].cancel()
        #expect((limit.inFlight, limit.queued, upstream.inFlight) == (0, 0, 0))
        #expect(log.elements.isEmpty)
    }

    /// Ten calls at once in every five seconds, of 20 to 50 ms each, for ten minutes: what a screen with ten rows does.
    @Test func aQuietClientsBurstsLoseNoCallByDefault() {
        let limit = AdaptiveConcurrency(on: scheduler, random: .seeded(1))
        let calls = callsInBursts(through: limit)
        #expect(calls.count == 1_200)
        #expect(calls.count { $0.valueNow == nil } == 0)
    }

    /// Without a queue seven of ten are refused at first; then the limit grows to a burst and more.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func aQuietClientsBurstsGrowTheLimit(_ seed: UInt64) {
        let limit = AdaptiveConcurrency(queue: 0, on: scheduler, random: .seeded(seed))
        let calls = callsInBursts(through: limit)
        let wholeBursts = (0..<120).count { burst in
            calls[burst * 10..<burst * 10 + 10].allSatisfy { $0.valueNow != nil }
        }
        #expect(wholeBursts > 10)
    }

    private func callsInBursts(through limit: AdaptiveConcurrency) -> [Future<Int>] {
        let bursts = 120
        var times = SeededGenerator(seed: 1)
        let answers = (0..<bursts * 10).map { _ in
            Upstream.Step.value(1, after: .milliseconds(Int.random(in: 20...50, using: &times)))
        }
        let service = service(limit, Upstream(on: scheduler, answers))
        return (0..<bursts).flatMap { _ in
            defer { scheduler.advance(by: .seconds(5)) }
            return (0..<10).map { service(Ask($0)) }
        }
    }

    @Test func eventsSayWhoWaitsAndWhoIsRefused() throws {
        let upstream = Upstream(on: scheduler)
        let events = TestLog<PolicyEvent>()
        let limit = limit(1, queue: 1, queueTimeout: .seconds(2))
        let service = stack(
            .observed(by: events.observer, on: scheduler), .adaptiveConcurrency(sharing: limit),
            over: upstream.send)
        let first = (1...3).map { service(Ask($0)) }
        scheduler.advance(by: .seconds(1))
        upstream.settle(0, .success(1))
        let last = service(4)
        scheduler.advance(by: .seconds(2))
        // Calls of other tests have numbers in between.
        let numbers = Set(events.elements.map(\.call)).sorted()
        let words = try events.elements.filter { $0.policy == "adaptiveConcurrency" }.map {
            let index = try #require(numbers.firstIndex(of: $0.call))
            return "\(index) \($0.kind.word) \($0.kind.reason)"
        }
        #expect(
            words == [
                "1 queued ", "2 refused concurrencyLimited", "1 dequeued ", "3 queued ",
                "3 refused queueTimedOut",
            ])
        withExtendedLifetime((first, last)) {}
    }

    /// A key whose service was found to be overloaded is not forgotten at once.
    @Test func eachKeepsALimitThatHasShrunk() {
        let made = TestLog<Int>()
        let upstream = Upstream(on: scheduler, [.broken, .value(2), .value(1)])
        let scheduler = scheduler
        let service = stack(
            .keyed(by: \.number, limit: 1) { key in
                made.append(key)
                return .adaptiveConcurrency(
                    sharing: AdaptiveConcurrency(algorithm: .vegas(), on: scheduler))
            }, over: upstream.send)
        for number in [1, 2, 1] {
            _ = service(Ask(number))
            scheduler.run()
        }
        #expect(made.elements == [1])
        scheduler.advance(by: .seconds(61))
        _ = service(2)
        #expect(made.elements == [1, 2])
    }

    @Test func theSameSeedGivesTheSameLimits() {
        func limits(_ seed: UInt64) -> [Int] {
            let limit = AdaptiveConcurrency(
                algorithm: .vegas(), on: scheduler, random: .seeded(seed))
            var times = SeededGenerator(seed: 1)
            return (0..<200).map { _ in
                let answers = (0..<20).map { _ in
                    let time = Int.random(in: 100...300, using: &times)
                    return Upstream.Step.value(1, after: .milliseconds(time))
                }
                let service = service(limit, Upstream(on: scheduler, answers))
                for number in 0..<20 { _ = service(Ask(number)) }
                scheduler.run()
                return limit.limit
            }
        }
        #expect(limits(1) == limits(1))
        #expect(limits(1) != limits(2))
    }
}
