import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeAdmission
@testable import PledgeServices

@Suite struct BulkheadTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    func service(_ bulkhead: Bulkhead, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(
            .observed(by: log.observer, on: scheduler), .bulkhead(sharing: bulkhead),
            over: upstream.send)
    }

    /// Calls that hang give their places to those that wait, and the bulkhead sets one timer for it.
    @Test func aCallThatHangsGivesItsPlaceBackWhenItsLeaseEnds() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(limit: 2, queue: 9, leaseTime: .seconds(1), on: scheduler)
        let service = service(bulkhead, upstream)
        let calls = (1...5).map { service(Ask($0)) }
        #expect(upstream.count == 2)
        scheduler.advance(by: .milliseconds(1_124))
        #expect(upstream.count == 2)
        scheduler.advance(by: .milliseconds(1))
        #expect(upstream.count == 4)
        #expect(bulkhead.inFlight == 4 && bulkhead.queued == 1)
        scheduler.advance(by: .milliseconds(1_125))
        #expect(upstream.count == 5)
        #expect(scheduler.isIdle)
        // They went on meanwhile.
        for number in 0..<5 { upstream.settle(number, .success(number + 1)) }
        #expect(calls.map(\.valueNow) == [1, 2, 3, 4, 5])
        #expect(bulkhead.inFlight == 0 && bulkhead.isIdle)
    }

    /// A call that ends after its lease frees no second place.
    @Test func aCallGivesItsPlaceInABulkheadBackOnce() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(limit: 1, queue: 0, leaseTime: .seconds(1), on: scheduler)
        let service = service(bulkhead, upstream)
        _ = service(Ask(1))
        scheduler.advance(by: .milliseconds(1_125))
        _ = service(Ask(2))
        upstream.settle(0, .success(1))
        let refused = service(Ask(3))
        #expect(upstream.count == 2)
        #expect(refused.serviceError?.code == .bulkheadFull)
    }

    @Test func aQueueTimeoutOfZeroRefusesACallThatWouldWait() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(
            limit: 1, queue: 1, queueTimeout: .zero, leaseTime: nil, on: scheduler)
        let service = service(bulkhead, upstream)
        _ = service(1)
        let call = service(2)
        #expect(call.result == nil)
        scheduler.advance(by: .zero)
        #expect(call.serviceError?.code == .queueTimedOut)
    }

    @Test func severalStacksMayShareABulkhead() {
        let bulkhead = Bulkhead(limit: 1, queue: 1, leaseTime: nil, on: scheduler)
        let upstream = Upstream(on: scheduler)
        let other = stack(
            .bulkhead(sharing: bulkhead), over: { (text: String) in Future(value: text + "!") })
        let first = service(bulkhead, upstream)(1), second = other("Tea")
        #expect(second.result == nil)
        upstream.settle(0, .success(7))
        #expect(first.valueNow == 7)
        #expect(second.valueNow == "Tea!")
    }

    /// The producer of a call that is given up is notified before the next call begins.
    @Test(arguments: [true, false])
    func aBulkheadKeepsItsLimitWhileACallIsCancelledOrTimesOut(byTimeout: Bool) {
        let upstream = Upstream(on: scheduler)
        let most = Locked(0)
        let service = stack(
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 1, leaseTime: nil, on: scheduler)),
            .timeout(.seconds(1), on: scheduler),
            over: { (ask: Ask) in
                let future = upstream.send(ask)
                most.withLock { $0 = max($0, upstream.inFlight) }
                return future
            })
        let first = service(1), second = service(2)
        byTimeout ? scheduler.advance(by: .seconds(1)) : first.cancel()
        #expect(first.result != nil)
        #expect(second.result == nil)
        #expect(upstream.count == 2)
        #expect(most.withLock { $0 } == 1)
    }

    /// The place of an attempt that timed out is free for the next attempt, even if that is made at once.
    @Test func aRetryAtOnceFindsTheBulkheadsPlaceOfTheAttemptBefore() throws {
        let upstream = Upstream(on: scheduler)
        let call = stack(
            .retry(Retry(attempts: 2, backoff: .constant(.zero)), on: scheduler),
            .timeout(.seconds(1), on: scheduler),
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 0, leaseTime: nil, on: scheduler)),
            over: upstream.send)(1)
        scheduler.advance(by: .seconds(1))
        try #require(upstream.count == 2)
        upstream.settle(1, .success(7))
        #expect(call.valueNow == 7)
    }

    /// Its place stays taken until the service has returned, so that the service can be notified.
    @Test func aCallGivenUpWhileTheServiceIsCalledLetsNobodyInBesideIt() {
        let upstream = Upstream(on: scheduler)
        let caller = Locked<Future<Int>?>(nil)
        let seen = Locked<[Int]>([])
        let bulkhead = Bulkhead(limit: 1, queue: 2, leaseTime: nil, on: scheduler)
        let service = stack(
            .bulkhead(sharing: bulkhead),
            over: { (ask: Ask) in
                let future = upstream.send(ask)
                if ask.number == 2 { caller.withLock { $0 }?.cancel() }
                seen.withLock { $0.append(upstream.inFlight) }
                return future
            })
        let first = service(1), second = service(2), third = service(3)
        caller.withLock { $0 = second }
        upstream.settle(0, .success(7))
        #expect(first.valueNow == 7)
        #expect(second.isCancelled)
        #expect(third.result == nil)
        #expect(seen.withLock { $0 } == [1, 1, 1])
        #expect((bulkhead.inFlight, upstream.cancelled) == (1, 1))
        third.cancel()
        #expect((bulkhead.inFlight, upstream.inFlight) == (0, 0))
    }
}

@Suite struct BulkheadPriorityTests {
    let scheduler = ManualScheduler()

    private func call(
        _ service: Service<Ask, Int>, _ number: Int, _ priority: CallPriority?
    ) -> Future<Int> {
        CallContext.current.with(priority: priority).run { service(Ask(number)) }
    }

    /// A joined call that waits gets the priority of the most important caller that joins it.
    @Test func aCoalescedCallThatWaitsInABulkheadIsRaised() {
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 9))
        let service = stack(
            .coalesce(),
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 9, leaseTime: nil, on: scheduler)),
            over: upstream.send)
        let calls = [0, 1, 2].map { call(service, $0, .sheddable) }
        let joined = call(service, 2, .criticalPlus)
        scheduler.run()
        #expect((calls + [joined]).allSatisfy { $0.valueNow == 1 })
        #expect(upstream.arrivals.map(\.ask.number) == [0, 2, 1])
    }
}

@Suite struct BulkheadResizeTests {
    let scheduler = ManualScheduler()

    @Test func aBulkheadsLowerLimitHoldsFromTheNextCallOn() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(limit: 3, queue: 9, leaseTime: nil, on: scheduler)
        let service = stack(.bulkhead(sharing: bulkhead), over: upstream.send)
        for number in 1...4 { _ = service(Ask(number)) }
        bulkhead.resize(limit: 1, queue: 1)
        #expect((bulkhead.inFlight, bulkhead.queued) == (3, 1))
        #expect(service(5).serviceError?.code == .bulkheadFull)
        upstream.settle(0, .success(1))
        upstream.settle(1, .success(1))
        #expect(upstream.count == 3)
        #expect((bulkhead.inFlight, bulkhead.queued) == (1, 1))
        upstream.settle(2, .success(1))
        #expect(upstream.count == 4)
        #expect((bulkhead.inFlight, bulkhead.queued) == (1, 0))
    }

    @Test func aBulkheadsHigherLimitStartsTheCallsThatWait() {
        let upstream = Upstream(on: scheduler)
        let bulkhead = Bulkhead(limit: 1, queue: 9, leaseTime: nil, on: scheduler)
        let service = stack(.bulkhead(sharing: bulkhead), over: upstream.send)
        for number in 1...5 { _ = service(Ask(number)) }
        bulkhead.resize(limit: 3, queue: 2)
        #expect(upstream.arrivals.map(\.ask.number) == [1, 2, 3])
        #expect((bulkhead.inFlight, bulkhead.queued) == (3, 2))
        for index in 0..<5 { upstream.settle(index, .success(1)) }
        #expect((bulkhead.inFlight, bulkhead.queued) == (0, 0))
    }
}

/// A bulkhead used by several threads, and by the functions that it calls.
@Suite(.oneAtATime) struct BulkheadSharingTests {
    let scheduler = ManualScheduler()

    /// The stack may be called, since no lock is held.
    @Test func observersAndServicesMayCallTheirBulkheadsStack() {
        let bulkhead = Bulkhead(limit: 2, queue: 1, leaseTime: nil, on: scheduler)
        let again = Locked<(@Sendable () -> Future<Int>)?>(nil)
        let isNested = Locked(false)
        let nested = Locked<[Future<Int>]>([])
        let nest: @Sendable () -> Void = {
            let isFirst = isNested.withLock { nested in
                defer { nested = true }
                return !nested
            }
            // Each end begins another call, up to a limit.
            guard isFirst, nested.withLock({ $0.count < 50 }) else { return }
            if let call = again.withLock({ $0 })?() { nested.withLock { $0.append(call) } }
            isNested.withLock { $0 = false }
        }
        let upstream = Upstream(on: scheduler, Array(repeating: .value(7), count: 100))
        let service = stack(
            .observed(by: ServiceObserver { _ in nest() }, on: scheduler),
            .bulkhead(sharing: bulkhead),
            over: { (ask: Ask) in
                nest()
                return upstream.send(ask)
            })
        again.withLock { $0 = { service(0) } }
        let calls = (1...5).map { service(Ask($0)) }
        scheduler.run()
        #expect(nested.withLock { $0.count } == 50)
        for call in calls + nested.withLock({ $0 }) {
            #expect(call.valueNow == 7 || call.serviceError?.code == .bulkheadFull)
        }
        #expect(bulkhead.inFlight == 0)
        #expect(bulkhead.queued == 0)
        again.withLock { $0 = nil }
    }

    /// Four threads call, answer, cancel, and move the clock.
    @Test func threadsKeepABulkheadsLimitAndLoseNoPlace() {
        let bulkhead = Bulkhead(
            limit: 3, queue: 5, queueTimeout: .milliseconds(2), leaseTime: nil, on: scheduler)
        let upstream = ContendedService(on: scheduler)
        let service = stack(.bulkhead(sharing: bulkhead), over: upstream.send)
        #expect(upstream.contend { ask, _ in service(ask) } == 8_000)
        #expect(upstream.mostAtOnce <= 3)
        #expect(upstream.isIdle)
        #expect(bulkhead.inFlight == 0)
        #expect(bulkhead.queued == 0)
        #expect(scheduler.isIdle)
    }

    @Test func answersFromOtherThreadsMakeRoomInABulkhead() async throws {
        let service = stack(
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 100, leaseTime: nil, on: scheduler)),
            over: { (ask: Ask) in
                Future<Int> {
                    await Task.yield()
                    return ask.number
                }
            })
        let calls = (0..<100).map { service(Ask($0)) }
        for (number, call) in calls.enumerated() {
            #expect(try await call.value == number)
        }
    }
}

#if os(macOS) || os(Linux)
@Suite(.oneAtATime) struct BulkheadMisuseTests {
    @Test func aBulkheadOfNoPlaceTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Bulkhead(limit: 0, queue: 0, leaseTime: nil) }
        expectTrap("a bulkhead needs a limit of at least 1, not 0", in: result)
    }

    @Test func aBulkheadsNegativeQueueTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Bulkhead(limit: 64, queue: -1, leaseTime: nil) }
        expectTrap("a bulkhead needs a queue of zero or more, not -1", in: result)
    }

    @Test func aBulkheadsNegativeTimeoutTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Bulkhead(limit: 64, queue: 1, queueTimeout: .seconds(-1), leaseTime: nil) }
        expectTrap("a bulkhead needs a queueTimeout of zero or more, not -1.0 seconds", in: result)
    }

    @Test func aBulkheadsLeaseOfNoTimeTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Bulkhead(limit: 64, queue: 0, leaseTime: .zero) }
        expectTrap("a bulkhead needs a leaseTime above zero, not 0.0 seconds", in: result)
    }
}
#endif

@Suite struct BulkheadMachineTests {
    private typealias Machine = BulkheadMachine<String>

    /// The call's place in the queue; zero if it is admitted, and nil if it is refused.
    private func length(_ entry: Machine.Entry) -> Int? {
        switch entry {
        case .admitted: 0
        case .queued(_, let length): length
        case .refused: nil
        }
    }

    /// Three calls enter, of which two wait.
    private func ticketsOfTwo(_ machine: inout Machine) -> [Machine.Ticket] {
        ["a", "b", "c"].compactMap { name in
            if case .queued(let ticket, _) = machine.admitOrQueue(name) { ticket } else { nil }
        }
    }

    @Test func aBulkheadFillsItsPlacesThenItsQueueThenRefuses() {
        var machine = BulkheadMachine<String>(limit: 2, queue: 2)
        let entries = ["a", "b", "c", "d", "e"].map { machine.admitOrQueue($0) }
        #expect(entries.map(length) == [0, 0, 1, 2, nil])
        #expect(machine.inFlight == 2)
        #expect(machine.queued == 2)
        #expect(!machine.hasRoomToWait)
    }

    @Test func aBulkheadsFreePlaceGoesToTheFirstInLine() {
        var machine = BulkheadMachine<String>(limit: 1, queue: 2)
        for name in ["a", "b", "c"] { _ = machine.admitOrQueue(name) }
        let first = machine.leave(BulkheadLease())
        #expect(first?.waiter == "b")
        // The place is taken again, so a new caller must wait behind the others.
        let isFree = machine.enterIfFree()
        #expect(isFree == nil)
        let late = machine.admitOrQueue("d")
        #expect(length(late) == 2)
        let others = (0..<3).map { _ in machine.leave(BulkheadLease())?.waiter }
        #expect(others == ["c", "d", nil])
        #expect(machine.inFlight == 0)
    }

    @Test func aCallThatWaitsMayLeaveABulkheadsQueue() {
        var machine = BulkheadMachine<String>(limit: 1, queue: 2)
        let tickets = ticketsOfTwo(&machine)
        let departure = machine.leave(tickets[0])
        #expect(departure.left == "b")
        #expect(departure.next == nil)
        #expect(machine.inFlight == 1)
        #expect(machine.hasRoomToWait)
        let next = machine.leave(BulkheadLease())
        #expect(next?.waiter == "c")
    }

    /// A waiting call is given up just when it gets its place.
    @Test func aCallThatWaitedForABulkheadGivesItsPlaceToTheNext() {
        var machine = BulkheadMachine<String>(limit: 1, queue: 2)
        let tickets = ticketsOfTwo(&machine)
        _ = machine.leave(BulkheadLease())
        let departure = machine.leave(tickets[0])
        #expect(departure.left == nil)
        #expect(departure.next?.waiter == "c")
        _ = machine.leave(tickets[1])
        #expect(machine.inFlight == 0)
    }

    @Test func aTicketOfABulkheadHasOneEnd() {
        var machine = BulkheadMachine<String>(limit: 1, queue: 2)
        let tickets = ticketsOfTwo(&machine)
        let early = machine.begin(tickets[0])
        _ = machine.leave(BulkheadLease())
        let (first, second) = (machine.begin(tickets[0]), machine.begin(tickets[0]))
        #expect(!early && first && !second)
        // It has begun, so its future frees the place.
        let departure = machine.leave(tickets[0])
        #expect(departure.next == nil && departure.left == nil)
        #expect(machine.inFlight == 1 && machine.queued == 1)
    }

    /// Compared with two arrays.
    @Test func aBulkheadAgreesWithAnOracleOverRandomScripts() {
        var generator = SeededGenerator(seed: 17)
        var refusals = 0, departures = 0
        for _ in 0..<300 {
            let limit = Int.random(in: 1...4, using: &generator)
            let queue = Int.random(in: 0...5, using: &generator)
            var machine = BulkheadMachine<Int>(limit: limit, queue: queue)
            var inside: [Int] = [], waiting: [Int] = []
            var tickets: [Int: BulkheadMachine<Int>.Ticket] = [:]
            for call in 0..<300 {
                let wasWaiting = waiting
                if Bool.random(using: &generator) {
                    let entry = machine.admitOrQueue(call)
                    if inside.count < limit {
                        #expect(entry == .admitted(BulkheadLease()))
                        inside.append(call)
                    } else if waiting.count < queue {
                        waiting.append(call)
                        guard case .queued(let ticket, let length) = entry else {
                            Issue.record("\(call) is to wait, not \(entry)")
                            return
                        }
                        #expect(length == waiting.count)
                        tickets[call] = ticket
                    } else {
                        #expect(entry == .refused)
                        refusals += 1
                    }
                } else if let call = (inside + waiting).randomElement(using: &generator) {
                    let departure =
                        tickets[call].map { machine.leave($0) }
                        ?? .init(next: machine.leave(BulkheadLease()))
                    if waiting.contains(call) {
                        waiting.removeAll { $0 == call }
                        #expect(departure.left == call)
                        #expect(departure.next == nil)
                        departures += 1
                    } else {
                        inside.removeAll { $0 == call }
                        #expect(departure.left == nil)
                        #expect(departure.next?.waiter == wasWaiting.first)
                        if !waiting.isEmpty { inside.append(waiting.removeFirst()) }
                    }
                }
                #expect(machine.inFlight == inside.count)
                #expect(machine.queued == waiting.count)
            }
        }
        #expect(refusals > 1_000 && departures > 1_000)
    }

    private func at(_ milliseconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .milliseconds(milliseconds))
    }

    /// Compared with a list of the calls and their beginnings.
    @Test func aBulkheadWithLeasesCountsTheCallsOfTheLastLeaseTime() throws {
        var generator = SeededGenerator(seed: 51)
        var (expired, refused) = (0, 0)
        for _ in 0..<200 {
            let limit = Int.random(in: 1...6, using: &generator)
            var machine = BulkheadMachine<Int>(
                limit: limit, queue: 0, leaseTime: .milliseconds(800))
            var calls: [(lease: BulkheadLease, start: Int)] = []
            var now = 0
            for call in 0..<200 {
                now += Int.random(in: 0...200, using: &generator)
                // A lease ends with the eighth in which its time is over.
                let holders = calls.count { now / 100 - $0.start / 100 <= 8 }
                if Bool.random(using: &generator) {
                    let entry = machine.admitOrQueue(call, at: at(now))
                    if holders < limit {
                        guard case .admitted(let lease) = entry else {
                            Issue.record("\(call) is to begin, not \(entry)")
                            return
                        }
                        if calls.count >= limit { expired += 1 }
                        calls.append((lease, now))
                    } else {
                        #expect(entry == .refused)
                        refused += 1
                    }
                } else if let index = calls.indices.randomElement(using: &generator) {
                    let next = machine.leave(calls.remove(at: index).lease, at: at(now))
                    #expect(next == nil)
                }
                #expect(machine.inFlight == calls.count)
            }
        }
        #expect(expired > 300 && refused > 1_000)
    }

    /// A waiting call isn't overtaken by one that arrives after a lease has ended, and before the timer has run.
    @Test func nobodyOvertakesInABulkheadsQueueAfterALeaseHasEnded() throws {
        var machine = BulkheadMachine<String>(limit: 1, queue: 2, leaseTime: .milliseconds(800))
        for name in ["a", "b"] { _ = machine.admitOrQueue(name, at: at(0)) }
        let wait = machine.waitForLease(at: at(0))
        let second = machine.waitForLease(at: at(1))
        #expect(wait == .milliseconds(900) && second == nil)
        let late = machine.admitOrQueue("c", at: at(900))
        #expect(length(late) == 2)
        let started = machine.endLeases(at: at(900))
        #expect(started.map(\.waiter) == ["b"])
        #expect(machine.inFlight == 2)
        let next = machine.waitForLease(at: at(900))
        #expect(next == .milliseconds(900))
    }
}
