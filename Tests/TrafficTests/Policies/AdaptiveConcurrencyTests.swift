import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices
@testable import PledgeTraffic

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

    @Test func anAdaptiveLimitTakesEachAnswerAsASampleWithItsTimes() throws {
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

    @Test func callsThatWaitForAnAdaptiveLimitAreMadeInOrderAndTimedFromTheirTurn() throws {
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

    @Test func eventsOfAnAdaptiveLimitSayWhichCallsWaitAndWhichAreRefused() throws {
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
    @Test func keyedKeepsAnAdaptiveLimitThatHasShrunk() {
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

    @Test func adaptiveLimitsWithTheSameSeedAreTheSame() {
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

/// Which ends of calls an adaptive limit learns from.
@Suite struct AdaptiveConcurrencyEndTests {
    let scheduler = ManualScheduler()
    let log = TestLog<ConcurrencySample>()

    private func limit(_ size: Int) -> AdaptiveConcurrency {
        AdaptiveConcurrency(algorithm: .fixed(size, log), on: scheduler)
    }

    /// How an end counts: as an answer, a drop, or not at all.
    private enum Kind { case answer, drop, nothing }

    private static let ends: [(Result<Int, any Error>, Kind)] = [
        (.success(7), .answer),
        (.failure(Advised(advisedOutcome: .success)), .answer),
        (.failure(Broken()), .drop),
        (.failure(ServiceError(.timedOut, policy: "timeout")), .drop),
        (.failure(Advised(advisedOutcome: .retryable(after: .seconds(1)))), .drop),
        (.failure(Advised(advisedOutcome: .retryable, isCertainlyUnsent: true)), .nothing),
        (.failure(Advised(advisedOutcome: .failure)), .nothing),
        (.failure(CancellationError()), .nothing),
        (.failure(ServiceError(.circuitOpen, policy: "circuitBreaker")), .nothing),
        (.failure(ServiceError(.deadlineExceeded, policy: "timeout")), .nothing),
        (.failure(ServiceError.superseded), .nothing),
    ]

    @Test(arguments: ends.indices, [false, true])
    func anAdaptiveLimitCountsEachEndAsASampleADropOrNothing(index: Int, isAtOnce: Bool) {
        let (result, kind) = Self.ends[index]
        let upstream = Upstream(on: scheduler, isAtOnce ? [.atOnce(result)] : [])
        let limit = limit(1)
        let call = stack(.adaptiveConcurrency(sharing: limit), over: upstream.send)(1)
        if !isAtOnce { upstream.settle(0, result) }
        #expect(call.result != nil)
        #expect(limit.inFlight == 0)
        let isDrop = log.elements.map(\.isDrop)
        switch kind {
        case .answer: #expect(isDrop == [false])
        case .drop: #expect(isDrop == [true])
        case .nothing: #expect(isDrop == [])
        }
    }

    @Test func theClassifierDecidesWhatAnAdaptiveLimitTakesForADrop() {
        let upstream = Upstream(on: scheduler, [.atOnce(.success(1)), .atOnce(.failure(Broken()))])
        let classifier = Classifier<Int> { result in
            if case .success = result { .retryable } else { .rejection }
        }
        let service = stack(
            .adaptiveConcurrency(sharing: limit(1), classifier: classifier), over: upstream.send)
        _ = (service(1), service(2))
        #expect(log.elements.map(\.isDrop) == [true, false])
    }

    @Test func aTimeoutBelowAnAdaptiveLimitIsADropAndOneAboveSaysNothing() {
        let upstream = Upstream(on: scheduler)
        let limit = limit(9)
        let timeout = Middleware<Ask, Int>.timeout(.seconds(1), on: scheduler)
        let limited = Middleware<Ask, Int>.adaptiveConcurrency(sharing: limit)
        _ = stack(timeout, limited, over: upstream.send)(1)
        scheduler.advance(by: .seconds(1))
        #expect(log.elements.isEmpty)
        _ = stack(limited, timeout, over: upstream.send)(1)
        scheduler.advance(by: .seconds(1))
        #expect(log.elements.map(\.isDrop) == [true])
        #expect(limit.inFlight == 0)
        #expect(upstream.cancelled == 2)
    }
}

/// An adaptive limit used by several threads, and by the functions that it calls.
@Suite(.oneAtATime) struct AdaptiveConcurrencySharingTests {
    let scheduler = ManualScheduler()

    static let algorithms: [(String, ConcurrencyLimitAlgorithm)] = [
        ("aimd", .aimd(initial: 3, minimum: 1, maximum: 5)),
        ("vegas", .vegas(initial: 3, maximum: 5)),
        ("gradient", .gradient(minimum: 2, maximum: 5, window: .zero)),
        ("correlation", .correlation(initial: 3, maximum: 5)),
    ]

    /// Four threads call, answer, fail, cancel, and move the clock.
    @Test(arguments: algorithms.indices)
    func threadsKeepAnAdaptiveLimitAndLoseNoPlace(index: Int) {
        let limit = AdaptiveConcurrency(
            algorithm: Self.algorithms[index].1, queue: 5, queueTimeout: .milliseconds(2),
            on: scheduler, random: .seeded(1))
        let upstream = ContendedService(on: scheduler, failsEach: 7)
        let service = stack(.adaptiveConcurrency(sharing: limit), over: upstream.send)
        let settled = upstream.contend { ask, _ in
            let now = limit.limit
            if !(1...5).contains(now) { Issue.record("a limit of \(now)") }
            return service(ask)
        }
        #expect(settled == 8_000)
        #expect(upstream.mostAtOnce <= 5)
        #expect(upstream.isIdle)
        #expect((limit.inFlight, limit.queued) == (0, 0))
        #expect(scheduler.isIdle)
    }
}

#if os(macOS) || os(Linux)
@Suite(.oneAtATime) struct AdaptiveConcurrencyMisuseTests {
    @Test func aConcurrencyLimitsNegativeQueueTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = AdaptiveConcurrency(queue: -1) }
        expectTrap("an adaptive limit needs a queue of zero or more, not -1", in: result)
    }

    @Test func aConcurrencyLimitsNegativeTimeoutTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = AdaptiveConcurrency(queue: 1, queueTimeout: .seconds(-1)) }
        expectTrap(
            "an adaptive limit needs a queueTimeout of zero or more, not -1.0 seconds", in: result)
    }

    @Test func aConcurrencyLimitOfNoPlaceTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ConcurrencyLimitAlgorithm.vegas(minimum: 0) }
        expectTrap("a concurrency limit needs a minimum of at least 1, not 0", in: result)
    }

    @Test func aConcurrencyLimitsMaximumBelowItsMinimumTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ConcurrencyLimitAlgorithm.gradient(minimum: 3, maximum: 2) }
        expectTrap(
            "a concurrency limit needs a maximum from its minimum to 1000000, not 2", in: result)
    }

    @Test func anInitialConcurrencyLimitOutsideItsBoundsTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ConcurrencyLimitAlgorithm.correlation(initial: 201) }
        expectTrap("a concurrency limit needs an initial limit in 1...200, not 201", in: result)
    }

    @Test func aConcurrencyLimitWhoseDropDoesNotShrinkItTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ConcurrencyLimitAlgorithm.aimd(decrease: 1) }
        expectTrap("a decrease is above 0 and below 1, not 1.0", in: result)
    }

    @Test func aConcurrencyLimitWithoutTimeBetweenMeasurementsTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = ConcurrencyLimitAlgorithm.gradient(measurementInterval: .zero) }
        expectTrap("a measurementInterval is more than zero, not 0.0 seconds", in: result)
    }
}
#endif

@Suite struct AdaptiveConcurrencyMachineTests {
    /// A limit that each sample sets: to its round trip, in milliseconds.
    private struct Dictated: ConcurrencyLimitMachine {
        var limit = 2

        mutating func record(_ sample: ConcurrencySample) {
            limit = Int(sample.roundTrip / 1_000_000)
        }
    }

    private func machine(queue: Int) -> AdaptiveConcurrencyMachine<Int> {
        AdaptiveConcurrencyMachine(Dictated(), queue: queue)
    }

    @Test func anAdaptiveLimitFillsItsPlacesThenItsQueueThenRefuses() {
        var machine = machine(queue: 2)
        let entries = (0..<5).map { machine.admitOrQueue($0) }
        let lengths = entries.map { entry -> Int? in
            switch entry {
            case .admitted(let inFlight): -inFlight
            case .queued(_, let length): length
            case .refused: nil
            }
        }
        #expect(lengths == [-1, -2, 1, 2, nil])
        #expect(machine.inFlight == 2)
        #expect(machine.queued == 2)
        #expect(!machine.hasRoomToWait)
    }

    @Test func anAdaptiveLimitThatHasGrownLetsSeveralCallsIn() {
        var machine = machine(queue: 9)
        for number in 0..<9 { _ = machine.admitOrQueue(number) }
        let admissions = machine.leave(.made(4))
        #expect(admissions.map(\.waiter) == [2, 3, 4])
        #expect(admissions.map(\.inFlight) == [2, 3, 4])
        #expect(machine.limit == 4)
        #expect(machine.queued == 4)
    }

    @Test func anAdaptiveLimitThatHasShrunkLetsNoCallInUntilEnoughHaveEnded() {
        var machine = machine(queue: 9)
        for number in 0..<9 { _ = machine.admitOrQueue(number) }
        _ = machine.leave(.made(4))
        #expect(machine.leave(.made(1)).isEmpty)
        #expect(machine.inFlight == 3)
        #expect(machine.enterIfFree() == nil)
        let ends = (0..<3).map { _ in machine.leave(nil).map(\.waiter) }
        #expect(ends == [[], [], [5]])
    }

    @Test func anEndThatSaysNothingLeavesAnAdaptiveLimitAsItIs() {
        var machine = machine(queue: 0)
        _ = machine.admitOrQueue(0)
        _ = machine.leave(nil)
        #expect(machine.limit == 2)
        #expect(machine.inFlight == 0)
        #expect(machine.lastSample == nil)
    }

    @Test func aCallThatWaitedForAnAdaptiveLimitGivesItsPlaceToTheNext() {
        var machine = machine(queue: 3)
        let tickets = (0..<5).compactMap { number in
            if case .queued(let ticket, _) = machine.admitOrQueue(number) { ticket } else { nil }
        }
        _ = machine.leave(nil)
        let departure = machine.leave(tickets[0])
        #expect(departure.left == nil)
        #expect(departure.admissions.map(\.waiter) == [3])
        let other = machine.leave(tickets[2])
        #expect(other.left == 4)
        #expect(other.admissions.isEmpty)
        #expect(machine.inFlight == 2)
    }

    @Test func anAdaptiveLimitsSampleSaysWhetherAllPlacesWereTaken() {
        struct Seen: ConcurrencyLimitMachine {
            var limit = 2
            mutating func record(_ sample: ConcurrencySample) { limit = sample.isFull ? 20 : 10 }
        }
        var machine = AdaptiveConcurrencyMachine<Int>(Seen(), queue: 0)
        for number in 0..<2 { _ = machine.admitOrQueue(number) }
        _ = machine.leave(.made(1))
        #expect(machine.limit == 20)
        _ = machine.leave(.made(1))
        #expect(machine.limit == 10)
        // One place of the ten is free.
        for number in 0..<9 { _ = machine.admitOrQueue(number) }
        _ = machine.leave(.made(1))
        #expect(machine.limit == 10)
    }

    @Test func anAdaptiveLimitIsIdleUnlessItLearntOfOverloadInTheLastMinute() {
        var machine = machine(queue: 0)
        let end = SchedulerInstant(offset: .seconds(1_000))
        #expect(machine.isIdle(at: end, initial: 2))
        _ = machine.admitOrQueue(0)
        #expect(!machine.isIdle(at: end, initial: 2))
        _ = machine.leave(.made(1))
        #expect(machine.isIdle(at: end, initial: 1))
        #expect(!machine.isIdle(at: end.advanced(by: .seconds(60)), initial: 2))
        #expect(machine.isIdle(at: end.advanced(by: .seconds(61)), initial: 2))
    }

    /// Compared with two arrays.
    @Test func aConcurrencyLimitAgreesWithAnOracleOverRandomScripts() {
        var generator = SeededGenerator(seed: 29)
        var refusals = 0, departures = 0, several = 0
        for _ in 0..<200 {
            let queue = Int.random(in: 0...5, using: &generator)
            var machine = machine(queue: queue), limit = 2
            var inside: [Int] = [], waiting: [Int] = [],
                tickets: [Int: AdaptiveConcurrencyMachine<Int>.Ticket] = [:]
            for call in 0..<300 {
                if Bool.random(using: &generator) {
                    let entry = machine.admitOrQueue(call)
                    if inside.count < limit {
                        inside.append(call)
                        #expect(entry == .admitted(inFlight: inside.count))
                    } else if waiting.count < queue {
                        waiting.append(call)
                        guard case .queued(let ticket, waiting.count) = entry else {
                            Issue.record("\(call) is to wait, not \(entry)")
                            return
                        }
                        tickets[call] = ticket
                    } else {
                        #expect(entry == .refused)
                        refusals += 1
                    }
                } else if let call = (inside + waiting).randomElement(using: &generator) {
                    let wasWaiting = waiting.contains(call)
                    let saysNothing = wasWaiting || Bool.random(using: &generator)
                    if !saysNothing { limit = Int.random(in: 1...6, using: &generator) }
                    let admissions: [AdaptiveConcurrencyMachine<Int>.Admission]
                    if wasWaiting, let ticket = tickets[call] {
                        let departure = machine.leave(ticket)
                        #expect(departure.left == call)
                        admissions = departure.admissions
                        departures += 1
                    } else {
                        admissions = machine.leave(saysNothing ? nil : .made(limit))
                    }
                    inside.removeAll { $0 == call }
                    waiting.removeAll { $0 == call }
                    let free = wasWaiting ? 0 : max(0, limit - inside.count)
                    let next = Array(waiting.prefix(free))
                    #expect(admissions.map(\.waiter) == next)
                    if next.count > 1 { several += 1 }
                    inside += next
                    waiting.removeFirst(next.count)
                }
                #expect(machine.inFlight == inside.count)
                #expect(machine.queued == waiting.count)
            }
        }
        #expect(refusals > 1_000 && departures > 1_000 && several > 100)
    }
}
