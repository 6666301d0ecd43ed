import PledgeAdmission
import PledgeFutures
import ServicesTestSupport
import TestSupport
import Testing

@testable import PledgeServices
@testable import PledgeTraffic

@Suite struct LoadShedderTests {
    let scheduler = ManualScheduler()
    let log = TestLog<PolicyEvent>()

    private func service(_ shedder: LoadShedder, _ upstream: Upstream) -> Service<Ask, Int> {
        stack(
            .observed(by: log.observer, on: scheduler), .loadShedding(sharing: shedder),
            over: upstream.send)
    }

    private func call(
        _ service: Service<Ask, Int>, _ number: Int, _ priority: CallPriority
    ) -> Future<Int> {
        CallContext.current.with(priority: priority).run { service(Ask(number)) }
    }

    @Test func byDefaultALoadShedderHas64CallsInFlightAnd1000Waiting() {
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(on: scheduler)
        let service = service(shedder, upstream)
        let calls = (1...1_065).map { service(Ask($0)) }
        #expect(shedder.inFlight == 64 && shedder.queued == 1_000)
        #expect(calls.count { $0.result == nil } == 1_064)
        let error = calls.last?.serviceError
        #expect(error?.code == .shed && error?.policy == "loadShedding")
        #expect(error?.isRefusal == true && error?.isCertainlyUnsent == true)
    }

    @Test func aLoadShedderRefusesACallThatHasWaitedTooLong() {
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(limit: 1, on: scheduler)
        let service = service(shedder, upstream)
        _ = service(1)
        let early = service(2)
        scheduler.advance(by: .milliseconds(99))
        let middle = service(3)
        #expect(!shedder.isOverloaded)
        scheduler.advance(by: .milliseconds(1))
        #expect(early.serviceError?.code == .queueTimedOut)
        #expect(early.serviceError?.limit == .milliseconds(100))
        #expect(shedder.isOverloaded)
        let late = service(4)
        scheduler.advance(by: .milliseconds(5))
        #expect(late.serviceError?.limit == .milliseconds(5))
        #expect(middle.result == nil)
        upstream.settle(0, .success(1))
        #expect(upstream.arrivals.map(\.ask.number) == [1, 3])
        #expect(scheduler.isIdle)
        #expect(
            log.lines.filter { $0.contains(" loadShedding ") } == [
                "0 1 loadShedding queued(length: 1)",
                "99 1 loadShedding queued(length: 2)",
                "100 1 loadShedding refused(loadShedding: refused: no place within the queue's timeout of 0.1 "
                    + "seconds)",
                "100 1 loadShedding queued(length: 2)",
                "105 1 loadShedding refused(loadShedding: refused: no place within the queue's timeout of 0.005 "
                    + "seconds)",
                "105 1 loadShedding dequeued(after: 0.006 seconds)",
            ])
    }

    @Test func byDefaultALoadShedderServesTheOldestFirstInOverloadToo() {
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(limit: 1, on: scheduler)
        let service = service(shedder, upstream)
        var calls = [service(1), service(2)]
        scheduler.advance(by: .milliseconds(99))
        calls.append(service(3))
        scheduler.advance(by: .milliseconds(1))
        #expect(shedder.isOverloaded)
        calls.append(service(4))
        upstream.settle(0, .success(1))
        upstream.settle(1, .success(3))
        #expect(upstream.arrivals.map(\.ask.number) == [1, 3, 4])
        #expect(calls.map { $0.result == nil } == [false, false, false, true])
    }

    /// Under twice the load that can be served, the waits stay short, and critical calls are served.
    @Test(arguments: [LoadShedder.Order.oldestFirst, .newestFirstInOverload])
    func aLoadShedderInOverloadKeepsWaitsShortAndServesCriticalCalls(_ order: LoadShedder.Order) {
        let upstream = Upstream(on: scheduler, Array(repeating: .value(1), count: 10_000))
        let shedder = LoadShedder(limit: 4, order: order, on: scheduler)
        let service = service(shedder, upstream)
        var calls: [(CallPriority, Future<Int>)] = []
        // Four places serve 400 calls a second; 800 come, a quarter of them critical.
        for number in 0..<1_600 {
            let priority: CallPriority = number % 4 == 0 ? .critical : .sheddable
            calls.append((priority, call(service, number, priority)))
            scheduler.advance(by: .microseconds(1_250))
        }
        scheduler.run()
        let critical = calls.filter { $0.0 == .critical }.count { $0.1.valueNow == nil }
        #expect(critical == 0)
        let served = calls.count { $0.1.valueNow != nil }
        #expect((750...850).contains(served))
        let waits = log.elements.compactMap { event -> Duration? in
            guard case .dequeued(let time) = event.kind,
                event.instant.offset > .milliseconds(300)
            else { return nil }
            return time
        }
        #expect(waits.count > 300)
        // The newest first, some that were patient wait for long.
        let late = waits.count { $0 > .milliseconds(20) }
        #expect(order == .oldestFirst ? late == 0 : late * 4 < waits.count)
    }
}

@Suite struct PriorityTests {
    let scheduler = ManualScheduler()

    /// A service that returns the priority with which it is called.
    private let told: Service<Ask, CallPriority> = { _ in
        Future(value: CallContext.current.priority)
    }

    @Test func callPrioritiesAreOrderedByImportance() {
        #expect(
            CallPriority.allCases.sorted()
                == [.sheddable, .sheddablePlus, .critical, .criticalPlus])
    }

    @Test func aCallIsCriticalUnlessAnotherPriorityIsBound() {
        #expect(CallContext.current.priority == .critical)
        #expect(CallContext.current.boundPriority == nil)
        #expect(told(1).valueNow == .critical)
    }

    @Test func aStackGivesItsCallsAPriority() {
        let load = stack(.priority(.sheddable), over: told)
        #expect(load(1).valueNow == .sheddable)
        #expect(CallContext.current.boundPriority == nil)
    }

    @Test func nestedCallsInheritThePriorityOfTheOuterCall() {
        let inner = stack(.priority(.sheddable), over: told)
        let outer = stack(.priority(.criticalPlus), over: inner)
        #expect(outer(1).valueNow == .criticalPlus)
        let prefetching = stack(
            .priority(.criticalPlus),
            over: { (ask: Ask) in
                CallContext.current.with(priority: .sheddablePlus).run { inner(ask) }
            })
        #expect(prefetching(1).valueNow == .sheddablePlus)
        let fresh = CallContext.current.with(priority: .critical).with(priority: nil)
        #expect(fresh.run { inner(1) }.valueNow == .sheddable)
    }

    /// The other parts of a context stay, in any order.
    @Test func aCallContextKeepsItsPriorityWhenOtherPartsChange() {
        let deadline = CallDeadline(after: .seconds(3), on: scheduler)
        let context = CallContext(deadline: deadline, attempt: 2).with(priority: .sheddable)
        #expect(context.remaining == .seconds(3) && context.attempt == 2)
        #expect(context.with(attempt: 5).with(deadline: nil).priority == .sheddable)
        #expect(context.with(traceContext: nil).with(record: nil).priority == .sheddable)
    }

    /// Attempts that the scheduler begins, hedges and observed calls have it.
    @Test func aCallsPriorityPassesThroughPolicies() {
        let seen = Locked<[CallPriority]>([])
        let load = stack(
            .observed(by: ServiceObserver { _ in }, on: scheduler), .priority(.sheddablePlus),
            .deadline(.seconds(90), on: scheduler),
            .retry(Retry(attempts: 2, backoff: .constant(.seconds(1))), on: scheduler),
            .hedge(sharing: Hedge(after: .milliseconds(10), maxExtraLoad: 1, on: scheduler)),
            .bulkhead(sharing: Bulkhead(limit: 1, queue: 9, leaseTime: nil, on: scheduler)),
            over: { [scheduler] (_: Ask) -> Future<Int> in
                seen.withLock { $0.append(CallContext.current.priority) }
                return Future(value: ()).delay(.milliseconds(20), on: scheduler)
                    .flatMap { Future(error: Broken()) }
            })
        let call = load(1)
        scheduler.run()
        #expect(call.errorNow is Broken)
        let priorities = seen.withLock { $0 }
        #expect(priorities.count == 4 && Set(priorities) == [.sheddablePlus])
    }
}

/// A load shedder used by several threads, and by the functions that it calls.
@Suite(.oneAtATime) struct LoadShedderSharingTests {
    let scheduler = ManualScheduler()

    /// Four threads call with all priorities, answer, cancel, and move the clock.
    @Test(arguments: [LoadShedder.Order.oldestFirst, .newestFirstInOverload])
    func threadsKeepALoadSheddersLimitAndLoseNoPlace(_ order: LoadShedder.Order) {
        let shedder = LoadShedder(
            limit: 3, queue: 5, target: .milliseconds(1), interval: .milliseconds(3),
            order: order, on: scheduler)
        let upstream = ContendedService(on: scheduler)
        let service = stack(.loadShedding(sharing: shedder), over: upstream.send)
        let settled = upstream.contend { ask, number in
            let priority = CallPriority.allCases[number % 4]
            return CallContext.current.with(priority: priority).run { service(ask) }
        }
        #expect(settled == 8_000)
        #expect(upstream.mostAtOnce <= 3)
        #expect(upstream.isIdle)
        #expect(shedder.inFlight == 0 && shedder.queued == 0)
        #expect(scheduler.isIdle)
    }

    /// A caller whose call is displaced may call again at once, since no lock is held.
    @Test func aCallerWhomALoadShedderDisplacesMayCallAtOnce() {
        let upstream = Upstream(on: scheduler)
        let shedder = LoadShedder(limit: 1, queue: 1, on: scheduler)
        let service = stack(.loadShedding(sharing: shedder), over: upstream.send)
        let next = Locked<Future<Int>?>(nil)
        _ = service(1)
        let waiting = CallContext.current.with(priority: .sheddable).run { service(2) }
        waiting.observe { _ in
            let call = CallContext.current.with(priority: .criticalPlus).run { service(4) }
            next.withLock { $0 = call }
        }
        let displaced = service(3)
        #expect(waiting.serviceError?.code == .shed)
        #expect(displaced.serviceError?.code == .shed)
        upstream.settle(0, .success(1))
        #expect(upstream.arrivals.map(\.ask.number) == [1, 4])
        #expect(next.withLock { $0 } != nil)
    }
}

#if os(macOS) || os(Linux)
@Suite(.oneAtATime) struct LoadShedderMisuseTests {
    @Test func aLoadShedderOfNoPlaceTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = LoadShedder(limit: 0) }
        expectTrap("a load shedder needs a limit of at least 1, not 0", in: result)
    }

    @Test func aLoadSheddersQueueBelowZeroTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = LoadShedder(queue: -1) }
        expectTrap("a load shedder needs a queue of zero or more, not -1", in: result)
    }

    @Test func aLoadShedderOfNoTargetTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = LoadShedder(target: .zero) }
        expectTrap("a load shedder needs a target of more than zero, not 0.0", in: result)
    }

    @Test func aLoadSheddersIntervalBelowItsTargetTraps() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = LoadShedder(target: .seconds(2), interval: .seconds(1)) }
        expectTrap("a load shedder needs an interval of at least the target, not 1.0", in: result)
    }
}
#endif

@Suite struct LoadShedderMachineTests {
    typealias Machine = LoadShedderMachine<String>

    static func at(_ milliseconds: Int) -> SchedulerInstant {
        SchedulerInstant(offset: .milliseconds(milliseconds))
    }

    /// What an entry says, in words.
    private func text(_ entry: Machine.Entry) -> String {
        switch entry {
        case .admitted: return "admitted"
        case .refused: return "refused"
        case .queued(_, let length, let patience, let displaced):
            let milliseconds = Int(patience / .milliseconds(1))
            return "\(length), \(milliseconds) ms" + (displaced.map { ", not \($0)" } ?? "")
        }
    }

    @Test func aLoadShedderFillsItsPlacesThenItsQueueThenRefuses() {
        var machine = Machine(LoadShedderLimits(places: 1, queue: 2))
        let entries = ["a", "b", "c", "d"].map {
            text(machine.admitOrQueue($0, .critical, at: Self.at(0)))
        }
        #expect(entries == ["admitted", "1, 100 ms", "2, 100 ms", "refused"])
        #expect(machine.inFlight == 1 && machine.queued == 2)
    }

    @Test func aLoadShedderServesTheMostImportantCallFirst() {
        var machine = Machine(LoadShedderLimits(places: 1))
        for (name, priority) in [
            ("now", .critical), ("a", .sheddable), ("b", .critical), ("c", .criticalPlus),
            ("d", .critical), ("e", .sheddablePlus),
        ] as [(String, CallPriority)] {
            _ = machine.admitOrQueue(name, priority, at: Self.at(0))
        }
        let order = (0..<6).map { _ in machine.leave(at: Self.at(1)) }
        #expect(order == ["c", "b", "d", "e", "a", nil])
        #expect(machine.inFlight == 0)
    }

    @Test func aLoadShedderWithAFullQueueRefusesTheLeastImportantCall() {
        var machine = Machine(LoadShedderLimits(places: 1, queue: 2))
        func enter(_ name: String, _ priority: CallPriority) -> String {
            text(machine.admitOrQueue(name, priority, at: Self.at(0)))
        }
        _ = enter("now", .sheddable)
        _ = (enter("a", .sheddablePlus), enter("b", .sheddablePlus))
        #expect(enter("c", .sheddable) == "refused")
        #expect(enter("d", .sheddablePlus) == "refused")
        // The youngest of the least important ones.
        #expect(enter("e", .critical) == "2, 100 ms, not b")
        #expect(enter("f", .criticalPlus) == "2, 100 ms, not a")
        #expect(enter("g", .critical) == "refused")
        #expect(enter("h", .criticalPlus) == "2, 100 ms, not e")
        // A call in flight is never displaced.
        #expect(machine.inFlight == 1)
    }

    @Test func aCallWaitsNoLongerThanALoadSheddersTargetInOverload() {
        var machine = Machine(LoadShedderLimits(places: 1))
        func enter(_ name: String, _ milliseconds: Int) -> String {
            text(machine.admitOrQueue(name, .critical, at: Self.at(milliseconds)))
        }
        _ = enter("now", 0)
        #expect(enter("a", 50) == "1, 100 ms")
        #expect(enter("b", 149) == "2, 100 ms")
        _ = machine.leave(at: Self.at(149))
        #expect(!machine.isOverloaded(at: Self.at(149)) && machine.isOverloaded(at: Self.at(150)))
        #expect(enter("c", 150) == "2, 5 ms")
        // As soon as nothing waits, the time begins anew.
        _ = (machine.leave(at: Self.at(160)), machine.leave(at: Self.at(160)))
        #expect(!machine.isOverloaded(at: Self.at(160)))
        #expect(enter("d", 300) == "1, 100 ms")
        #expect(enter("e", 399) == "2, 100 ms")
        #expect(enter("f", 400) == "3, 5 ms")
    }

    @Test func aQueueThatEmptiesByTimeoutsIsEmpty() throws {
        var machine = Machine(LoadShedderLimits(places: 1))
        _ = machine.admitOrQueue("now", .critical, at: Self.at(0))
        guard
            case .queued(let ticket, _, _, _) = machine.admitOrQueue("a", .critical, at: Self.at(0))
        else { throw Broken() }
        let (next, left) = machine.leave(ticket, at: Self.at(100))
        #expect(next == nil && left == "a")
        #expect(text(machine.admitOrQueue("b", .critical, at: Self.at(200))) == "1, 100 ms")
    }

    @Test func aLoadShedderMayServeTheNewestFirstInOverload() {
        var machine = Machine(LoadShedderLimits(places: 1, queue: 3, order: .newestFirstInOverload))
        func enter(_ name: String, _ milliseconds: Int) -> String {
            text(machine.admitOrQueue(name, .critical, at: Self.at(milliseconds)))
        }
        for name in ["now", "a", "b", "c"] { _ = enter(name, 0) }
        #expect(enter("d", 50) == "refused")
        let first = machine.leave(at: Self.at(60))
        #expect(first == "a")
        _ = enter("e", 60)
        // In overload the oldest would be served last.
        #expect(enter("f", 100) == "3, 5 ms, not b")
        let rest = (0..<4).map { _ in machine.leave(at: Self.at(101)) }
        #expect(rest == ["f", "e", "c", nil])
    }

    /// A waiting call is given up just when it gets its place, and after it has begun.
    @Test func aTicketOfALoadShedderHasOneEnd() throws {
        var machine = Machine(LoadShedderLimits(places: 1, queue: 3))
        var tickets: [Machine.Ticket] = []
        for name in ["now", "a", "b"] {
            if case .queued(let ticket, _, _, _) = machine.admitOrQueue(
                name, .critical, at: Self.at(0))
            {
                tickets.append(ticket)
            }
        }
        _ = machine.leave(at: Self.at(1))
        let (next, left) = machine.leave(tickets[0], at: Self.at(1))
        #expect(next == "b" && left == nil)
        let again = machine.leave(tickets[0], at: Self.at(1))
        #expect(again.next == nil && again.left == nil && machine.inFlight == 1)
        let mayBegin = tickets.map { machine.begin($0) }
        #expect(mayBegin == [false, true])
        _ = machine.leave(tickets[1], at: Self.at(1))
        #expect(machine.inFlight == 1)
        _ = machine.leave(at: Self.at(2))
        #expect(machine.inFlight == 0)
    }
}

/// The machine compared with an array that is sorted for each decision.
@Suite struct LoadShedderOracleTests {
    private struct Call: Equatable {
        let number: Int
        let priority: CallPriority
        let patience: Int
    }

    /// Everything that waits, in its order of arrival.
    private struct Queue {
        let limits: LoadShedderLimits
        var inside = 0
        var waiting: [Call] = []
        var lastEmpty = 0

        /// Notes the time if nothing waits.
        mutating func tick(_ now: Int) { if waiting.isEmpty { lastEmpty = now } }

        func isOverloaded(_ now: Int) -> Bool { !waiting.isEmpty && now - lastEmpty >= 20 }

        /// First the one to be served first.
        func inOrder(_ calls: [Call], _ now: Int) -> [Call] {
            let isNewestFirst = limits.order == .newestFirstInOverload && isOverloaded(now)
            return calls.sorted {
                if $0.priority != $1.priority { return $0.priority > $1.priority }
                return isNewestFirst ? $0.number > $1.number : $0.number < $1.number
            }
        }
    }

    @Test func aLoadShedderAgreesWithAnOracleOverRandomScripts() {
        var generator = SeededGenerator(seed: 37)
        var counts = (displaced: 0, refused: 0, served: 0, left: 0, late: 0)
        for _ in 0..<200 {
            let limits = LoadShedderLimits(
                places: .random(in: 1...3, using: &generator),
                queue: .random(in: 0...5, using: &generator),
                target: .milliseconds(3), interval: .milliseconds(20),
                order: Bool.random(using: &generator) ? .oldestFirst : .newestFirstInOverload)
            var machine = LoadShedderMachine<Int>(limits)
            var queue = Queue(limits: limits)
            var tickets: [Int: LoadShedderMachine<Int>.Ticket] = [:]
            var now = 0
            for number in 0..<300 {
                now += Int.random(in: 0...4, using: &generator)
                queue.tick(now)
                let instant = SchedulerInstant(offset: .milliseconds(now))
                #expect(machine.isOverloaded(at: instant) == queue.isOverloaded(now))
                switch Int.random(in: 0..<5, using: &generator) {
                case 0...2:
                    let patience = queue.isOverloaded(now) ? 3 : 20
                    let call = Call(
                        number: number,
                        priority: CallPriority.allCases.randomElement(using: &generator)!,
                        patience: patience)
                    let all = queue.inOrder(queue.waiting + [call], now)
                    switch machine.admitOrQueue(number, call.priority, at: instant) {
                    case .admitted:
                        #expect(queue.inside < limits.places && queue.waiting.isEmpty)
                        queue.inside += 1
                    case .refused:
                        #expect(queue.inside == limits.places)
                        #expect(queue.waiting.count == limits.queue && all.last == call)
                        counts.refused += 1
                    case .queued(let ticket, let length, let allowed, let displaced):
                        #expect(queue.inside == limits.places)
                        #expect(allowed == .milliseconds(patience))
                        counts.late += patience == 3 ? 1 : 0
                        queue.waiting.append(call)
                        if let displaced {
                            #expect(all.last?.number == displaced)
                            queue.waiting.removeAll { $0.number == displaced }
                            counts.displaced += 1
                        }
                        #expect(length == queue.waiting.count && length <= limits.queue)
                        tickets[number] = ticket
                    }
                case 3 where queue.inside > 0:
                    let next = machine.leave(at: instant)
                    #expect(next == queue.inOrder(queue.waiting, now).first?.number)
                    if let next, let ticket = tickets[next] {
                        queue.waiting.removeAll { $0.number == next }
                        let mayBegin = machine.begin(ticket)
                        #expect(mayBegin)
                        counts.served += 1
                    } else {
                        queue.inside -= 1
                    }
                default:
                    guard let victim = queue.waiting.randomElement(using: &generator),
                        let ticket = tickets[victim.number]
                    else { break }
                    let (next, left) = machine.leave(ticket, at: instant)
                    #expect(next == nil && left == victim.number)
                    queue.waiting.removeAll { $0 == victim }
                    counts.left += 1
                }
                queue.tick(now)
                #expect(machine.inFlight == queue.inside)
                #expect(machine.queued == queue.waiting.count)
            }
        }
        #expect(counts.displaced > 500 && counts.refused > 500 && counts.served > 500)
        #expect(counts.left > 500 && counts.late > 500)
    }
}
