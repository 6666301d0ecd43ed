package import PledgeFutures

/// A policy that admits calls: at once, after a wait, or not at all.
package protocol AdmissionGate: AnyObject, Sendable {
    /// A value that an admitted call holds until it ends.
    associatedtype Place: Sendable
    associatedtype Waiter: Sendable

    typealias Turn = InternalPromise<Place>

    /// The policy's name in events and errors.
    static var policy: String { get }

    /// The error code of a refused call.
    static var refusal: ServiceError.Code { get }

    /// The gate's own name in events and errors; nil for none.
    var name: String? { get }

    /// The clock for the waits.
    var scheduler: any FutureScheduler { get }

    /// Admits a call if a place is free.
    func enterIfFree() -> Place?

    /// Returns whether a call could wait if no place is free.
    ///
    /// If the call couldn't wait, it is refused before a promise for its turn is allocated.
    func mayWait(in context: CallContext) -> Bool

    /// Admits a call, or queues it.
    ///
    /// - Parameter turn: The waiting call's promise. It resolves with the call's place when the call's turn comes, and
    ///   rejects if another call displaces this call from the queue.
    func enter(_ turn: Turn, in context: CallContext) -> Admission<Place, Waiter>

    /// Confirms that a call that was admitted from the queue starts now.
    ///
    /// - Returns: False if the call has left since it was admitted, for example because its caller has cancelled. Such
    ///   a call must not start.
    func begin(_ ticket: PriorityWaitQueue<Waiter>.Ticket) -> Bool

    /// Raises a waiting call to a priority that is higher than its own; has no effect once the call is admitted.
    func raise(_ ticket: PriorityWaitQueue<Waiter>.Ticket, to priority: CallPriority)

    /// Removes a call from the queue, or frees the place of a call that was admitted but hasn't started.
    ///
    /// It has no effect on a call that has started.
    func leave(_ ticket: PriorityWaitQueue<Waiter>.Ticket)
}

/// A gate's decision about a call.
package enum Admission<Place, Waiter> {
    /// The call starts, and holds a place until it ends.
    case admitted(Place)
    /// The call waits in a queue; the `length` includes this call.
    ///
    /// After `patience`, the call fails. If `patience` is nil, the call waits for as long as its caller does.
    case queued(PriorityWaitQueue<Waiter>.Ticket, length: Int, patience: Duration?)
    /// The call is refused.
    case refused
}

extension AdmissionGate {
    /// Does nothing, for gates that treat all calls alike.
    package func raise(_ ticket: PriorityWaitQueue<Waiter>.Ticket, to priority: CallPriority) {}

    func report(_ kind: PolicyEvent.Kind, in context: CallContext) {
        context.report(kind, by: Self.policy, named: name)
    }

    func error(
        _ code: ServiceError.Code, of input: some Sendable, limit: Duration? = nil
    ) -> ServiceError {
        ServiceError(
            code, policy: Self.policy, policyName: name, limit: limit,
            subject: loggedName(of: input))
    }
}

/// A service behind a gate: a bulkhead, a load shedder or an adaptive limit.
package struct AdmittedService<Gate: AdmissionGate, Input: Sendable, Output: Sendable>: Sendable {
    private let service: Service<Input, Output>
    private let gate: Gate
    private let callInPlace: @Sendable (Gate.Place, Service<Input, Output>, Input) -> Future<Output>

    /// - Parameter callInPlace: Calls the service, and frees the place when the call has ended or is cancelled.
    package init(
        service: @escaping Service<Input, Output>, gate: Gate,
        callInPlace:
            @escaping @Sendable (Gate.Place, Service<Input, Output>, Input) -> Future<Output>
    ) {
        self.service = service
        self.gate = gate
        self.callInPlace = callInPlace
    }

    @Sendable package func call(_ input: Input) -> Future<Output> {
        if let place = gate.enterIfFree() { return callInPlace(place, service, input) }
        let context = CallContext.current
        guard gate.mayWait(in: context) else { return refuse(input, in: context) }
        // Since the checks above, a place may have become free, or the queue may have filled up. So the gate decides
        // again.
        let turn = Gate.Turn()
        switch gate.enter(turn, in: context) {
        case .admitted(let place): return callInPlace(place, service, input)
        case .refused: return refuse(input, in: context)
        case .queued(let ticket, let length, let patience):
            // The call can start only when the code below observes its turn. So `queued` is reported before the call's
            // start, even if another thread gives the call its turn now.
            gate.report(.queued(length: length), in: context)
            let inTime = inTime(turn, patience, input, in: context)
            return wait(raised(inTime, ticket, in: context), ticket, input, in: context)
        }
    }

    private func refuse(_ input: Input, in context: CallContext) -> Future<Output> {
        let error = gate.error(Gate.refusal, of: input)
        gate.report(.refused(error), in: context)
        return Future(error: error)
    }

    /// Calls the service when it is the call's turn, with the task-local values of this call's caller.
    ///
    /// Once the call has begun, only the end of the service's future frees the place. So if the caller cancels before
    /// the service has returned its future, the place stays taken, and no other call can start in it.
    ///
    /// If the call never begins, the last step removes it from the queue or frees its place. This is also the case if
    /// its caller cancels just when its turn comes.
    private func wait(
        _ turn: Future<Gate.Place>, _ ticket: PriorityWaitQueue<Gate.Waiter>.Ticket,
        _ input: Input, in context: CallContext
    ) -> Future<Output> {
        let start = gate.scheduler.now
        let caller = CallerContext(keeping: context)
        let begin: @Sendable (Gate.Place) -> Future<Output> = { place in
            guard gate.begin(ticket) else { return Future(error: CancellationError()) }
            let waited = start.duration(to: gate.scheduler.now)
            if let remaining = context.remaining, remaining <= .zero {
                let error = gate.error(.deadlineExceeded, of: input, limit: waited)
                gate.report(.refused(error), in: context)
                return callInPlace(place, { _ in Future(error: error) }, input)
            }
            gate.report(.dequeued(after: waited), in: context)
            return caller.run { callInPlace(place, service, input) }
        }
        return turn.flatMap { place in
            // The place may be free because another call of the same hedge has just won. The gate learns of that
            // before the hedge does. So the call begins a moment later, unless the hedge cancels it first.
            guard context.record?.hasRivals ?? false else { return begin(place) }
            return Future(value: place).delay(.zero, on: gate.scheduler).flatMap(begin)
        }
        .onEnd { _ in gate.leave(ticket) }
    }

    /// Raises a waiting joined call when more important callers join it.
    private func raised(
        _ turn: Future<Gate.Place>, _ ticket: PriorityWaitQueue<Gate.Waiter>.Ticket,
        in context: CallContext
    ) -> Future<Gate.Place> {
        guard let joined = context.joinedPriority else { return turn }
        let listener = joined.listen { [gate] in gate.raise(ticket, to: $0) }
        return turn.onEnd { _ in joined.stopListening(listener) }
    }

    /// Limits the wait for a turn to `patience`.
    ///
    /// If another call displaces this one, the error names this call's input.
    private func inTime(
        _ turn: Gate.Turn, _ patience: Duration?, _ input: Input, in context: CallContext
    ) -> Future<Gate.Place> {
        var future: Future<Gate.Place> = turn
        if let patience {
            let error = gate.error(.queueTimedOut, of: input, limit: patience)
            future = turn.timeout(patience, on: gate.scheduler) { error }
        }
        return future.mapError { error in
            // Any other error means that the caller has cancelled.
            guard let known = error as? ServiceError else { return error }
            let error = known.code == Gate.refusal ? gate.error(known.code, of: input) : known
            gate.report(.refused(error), in: context)
            return error
        }
    }
}

/// A queue of entries with a priority; an entry may leave from any position.
///
/// Joining, leaving, raising, and removing the first or the last entry take constant time. To call an entry means to
/// tell it that its turn has come. It then leaves the queue, but keeps its slot until the call is confirmed. So each
/// ticket ends exactly once.
package struct PriorityWaitQueue<Element> {
    /// An entry's unique number, and its slot.
    package struct Ticket: Hashable, Sendable {
        fileprivate let number: Int
        fileprivate let slot: Int
    }

    /// The state of a slot.
    fileprivate enum Stage {
        /// The slot is free. Next: `waiting`.
        case free
        /// The entry waits. Next: `called` or `free`.
        case waiting(Element)
        /// The entry has been called, but the call isn't confirmed yet. Next: `free`.
        case called
    }

    fileprivate struct Slot {
        var number = 0
        var priority = CallPriority.critical
        var stage = Stage.free
    }

    private var slots: [Slot] = []
    private var freeSlots: [Int] = []
    /// The slots of the waiting entries, by priority and then by age.
    private var orders = CallPriority.allCases.map { _ in SlotOrder() }
    private var lastNumber = 0

    /// The number of waiting entries.
    package private(set) var count = 0

    /// Creates an empty queue.
    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// The number of slots, for a test that checks that slots are reused.
    var size: Int { slots.count }

    /// The lowest priority of the waiting entries; nil if the queue is empty.
    package var leastPriority: CallPriority? {
        CallPriority.allCases.first { orders[$0.rawValue].first != nil }
    }

    /// Adds an entry as the youngest of its priority.
    package mutating func append(_ element: Element, _ priority: CallPriority) -> Ticket {
        lastNumber += 1
        let entry = Slot(number: lastNumber, priority: priority, stage: .waiting(element))
        let slot = freeSlots.popLast() ?? slots.count
        if slot == slots.count { slots.append(entry) } else { slots[slot] = entry }
        orders[priority.rawValue].append(slot)
        count += 1
        return Ticket(number: lastNumber, slot: slot)
    }

    /// Makes a waiting entry the youngest of a higher priority, but never lowers the entry's priority.
    package mutating func raise(_ ticket: Ticket, to priority: CallPriority) {
        let slot = ticket.slot
        guard isCurrent(ticket), case .waiting = slots[slot].stage,
            priority > slots[slot].priority
        else { return }
        orders[slots[slot].priority.rawValue].remove(slot)
        slots[slot].priority = priority
        orders[priority.rawValue].append(slot)
    }

    /// Calls the oldest or the youngest entry of the highest priority; this entry leaves the queue.
    package mutating func call(youngest: Bool) -> Element? {
        for priority in CallPriority.allCases.reversed() {
            if let slot = end(of: priority, youngest: youngest) {
                return take(slot, leaving: .called)
            }
        }
        return nil
    }

    /// Removes the youngest or the oldest entry of the lowest priority.
    package mutating func removeLeast(oldest: Bool) -> Element? {
        guard let leastPriority else { return nil }
        return end(of: leastPriority, youngest: !oldest).flatMap { take($0, leaving: .free) }
    }

    /// Removes an entry that waits.
    ///
    /// - Returns: The entry; nil if it doesn't wait.
    package mutating func remove(_ ticket: Ticket) -> Element? {
        guard isCurrent(ticket) else { return nil }
        return take(ticket.slot, leaving: .free)
    }

    /// Confirms the call of an entry, and frees the entry's slot.
    ///
    /// - Returns: False if the entry wasn't called, or its call was already confirmed.
    package mutating func confirm(_ ticket: Ticket) -> Bool {
        guard isCurrent(ticket), case .called = slots[ticket.slot].stage else { return false }
        free(ticket.slot)
        return true
    }

    /// Returns the slot of the youngest or the oldest waiting entry of a priority.
    ///
    /// This is a function, so that no second reference to the order exists while an entry is removed from it. With a
    /// second reference, the removal would copy all links.
    private func end(of priority: CallPriority, youngest: Bool) -> Int? {
        youngest ? orders[priority.rawValue].last : orders[priority.rawValue].first
    }

    private func isCurrent(_ ticket: Ticket) -> Bool {
        slots[ticket.slot].number == ticket.number
    }

    /// - Returns: Nil if the slot's entry doesn't wait.
    private mutating func take(_ slot: Int, leaving stage: Stage) -> Element? {
        guard case .waiting(let element) = slots[slot].stage else { return nil }
        orders[slots[slot].priority.rawValue].remove(slot)
        count -= 1
        slots[slot].stage = stage
        if case .free = stage { free(slot) }
        return element
    }

    private mutating func free(_ slot: Int) {
        slots[slot] = Slot()
        freeSlots.append(slot)
    }
}

extension SlotOrder {
    /// The slot that was added last; nil if there is none.
    fileprivate var last: Int? { tail < 0 ? nil : tail }
}

extension PriorityWaitQueue: Sendable where Element: Sendable {}

extension PriorityWaitQueue.Stage: Sendable where Element: Sendable {}

extension PriorityWaitQueue.Slot: Sendable where Element: Sendable {}
