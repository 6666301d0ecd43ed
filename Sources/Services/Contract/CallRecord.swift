package import PledgeFutures
import Synchronization

/// A record of the requests that one attempt of a call has sent.
///
/// A policy that may repeat a call binds a record in the ``CallContext`` of each attempt. Code that sends a request
/// notes two things in the record: a mark before it sends the request, and the request's fate when the fate is known.
/// ``CallContext/sending(_:fate:by:)`` notes both. So the policy's decision depends on what has left the process,
/// whatever code lies between the policy and the sender: functions that convert inputs to requests, further policies,
/// or your own services.
///
/// If the attempt is part of an outer attempt, its marks count in the outer record as well. You can use a record from
/// any thread. Each use takes a few atomic operations, and a few more for each outer attempt.
package final class CallRecord: Sendable {
    /// The fate of a request.
    package enum Fate: Hashable, Sendable {
        /// The request didn't leave the process, or didn't reach the service.
        case unsent
        /// The service refused the request and didn't process it, as HTTP's 401, 421 and 425 say.
        case refused
        /// Any other fate: the request may have been processed.
        case mayHaveArrived
    }

    /// A judgement on repeating an attempt, based on the requests that it sent.
    package enum Verdict: Hashable, Sendable {
        /// No mark was noted, so it isn't known what was sent.
        case nothing
        /// Every request that may have been processed can be processed again without harm.
        case repeatable
        /// A request that must not be processed twice may have been processed.
        case harmful
    }

    /// An entry in a record, for a request that is being sent.
    package struct Mark: Sendable {
        /// Nil if the request may be processed twice, because its fate doesn't matter then.
        fileprivate let request: UnreplayableRequest?
    }

    /// The record of the attempt around this record's attempt; nil if there is none.
    let outer: CallRecord?
    /// A mark in `outer` that assumes that this record's part has sent something, until this record has a mark.
    private let presumed: Mark?
    private let state = Atomic(RecordState())
    private let isLate = Atomic(false)
    let isAnswered = Atomic(false)
    let connection = AtomicLazyReference<ConnectionEvidence>()
    let failureCounts = Atomic(FailureCount.undecided)
    private let adopted = AtomicLazyReference<Locked<[CallRecord]>>()
    private let pauses = AtomicLazyReference<Locked<PauseTimes>>()
    let soleSender = AtomicLazyReference<SoleSender>()
    private let noted = AtomicLazyReference<Locked<(any CallUsers)?>>()

    /// Creates a record.
    ///
    /// - Parameter outer: The record of the attempt that the new attempt is part of.
    package convenience init(within outer: CallRecord? = nil) { self.init(outer, presuming: nil) }

    private init(_ outer: CallRecord?, presuming mark: Mark?) {
        self.outer = outer
        presumed = mark
    }
}

// MARK: - Requests

extension CallRecord {
    /// Notes that a request is about to be sent.
    ///
    /// - Parameter isReplayable: Whether the request may be processed twice without harm.
    /// - Returns: The mark to pass to ``endRequest(_:_:)``.
    /// - Throws: ``ServiceError/Code/superseded`` if the request must not be sent. One reason is that this attempt, or one around
    ///   it, is over. The other is that the request isn't replayable, and another attempt of the same hedged call has
    ///   already sent an unreplayable request.
    package func willSend(replayable isReplayable: Bool) throws(ServiceError) -> Mark {
        try admit(replayable: isReplayable)
        noteMark()
        return Mark(request: isReplayable ? nil : UnreplayableRequest())
    }

    /// Notes a request that waits in this process, for example in the queue for a connection.
    ///
    /// A request that waits hasn't been sent, so the attempt may be repeated until ``willSend(replayable:)`` is called.
    ///
    /// - Throws: ``ServiceError/Code/superseded`` if the attempt, or one around it, is over.
    package func willQueue() throws(ServiceError) {
        try admit(replayable: true)
        noteMark()
    }

    /// Notes the fate of a request.
    ///
    /// Until its fate is noted, a request counts as possibly arrived.
    ///
    /// - Parameters:
    ///   - mark: The request's mark. Only the first fate that is noted for a mark counts.
    ///   - fate: The fate.
    package func endRequest(_ mark: Mark, _ fate: Fate) {
        guard let request = mark.request, request.markEnded(), fate != .mayHaveArrived else {
            return
        }
        subtract()
    }

    /// Creates a record for a part of the attempt, such as a service that perhaps doesn't note what it sends.
    ///
    /// - Parameter mark: A mark in this record that stands for everything that the part sends. It is removed as soon as
    ///   the part notes a mark of its own.
    package func part(presuming mark: Mark) -> CallRecord { CallRecord(self, presuming: mark) }

    /// Asks this record and all outer ones, the outermost first, whether a mark may be added.
    ///
    /// An unreplayable mark counts from then on. If a record refuses such a mark, the outer records, which have already
    /// counted it, remove it again.
    private func admit(replayable isReplayable: Bool) throws(ServiceError) {
        try outer?.admit(replayable: isReplayable)
        let isAdmitted = change { state in
            if state.isClosed { return false }
            if isReplayable { return true }
            if state.hasRivals, !claim() { return false }
            state.addUnreplayable()
            return true
        }
        guard isAdmitted else {
            if !isReplayable { outer?.subtract() }
            throw .superseded
        }
    }

    /// Notes in this record and all outer ones that a mark was added.
    ///
    /// Called only after all records have admitted the mark, so that a refused one changes no verdict.
    private func noteMark() {
        outer?.noteMark()
        update { $0.noteMark() }
        if let presumed { outer?.endRequest(presumed, .unsent) }
    }

    /// Removes an unreplayable mark from this record and all outer ones.
    private func subtract() {
        update { $0.subtract() }
        outer?.subtract()
    }

    private func update(_ update: (inout RecordState) -> Void) {
        _ = change { state in
            update(&state)
            return true
        }
    }

    /// Changes the state atomically.
    ///
    /// - Parameter change: Updates the state, and returns whether to store it. If another thread changes the state
    ///   before the new one is stored, this is called again.
    /// - Returns: The last result of `change`.
    func change(_ change: (inout RecordState) -> Bool) -> Bool {
        var old = state.load(ordering: .acquiring)
        while true {
            var new = old
            guard change(&new) else { return false }
            let (isDone, current) = state.compareExchange(
                expected: old, desired: new, ordering: .acquiringAndReleasing)
            if isDone { return true }
            old = current
        }
    }
}

// MARK: - Pauses

extension CallRecord {
    /// A kind of pause in a call: time that says nothing about how fast the service is.
    package enum Pause: Int, CaseIterable, Sendable {
        /// A request waits in a queue of this process.
        case queue
        /// Bytes of a request's body are being sent.
        case upload
        /// Bytes of a response's body are arriving.
        case download
    }

    /// Notes that a pause begins.
    ///
    /// - Parameters:
    ///   - pause: The kind of pause.
    ///   - isOngoing: True if the pause lasts until ``endPause(_:)``, and false if it only lasts until the last
    ///     ``noteProgress(of:)``.
    ///   - scheduler: The clock.
    package func beginPause(
        _ pause: Pause, isOngoing: Bool = true, on scheduler: any FutureScheduler
    ) {
        pauses.storeIfNil(Locked(PauseTimes())).withLock {
            $0[pause].beginOne(isOngoing: isOngoing, on: scheduler)
        }
        outer?.beginPause(pause, isOngoing: isOngoing, on: scheduler)
    }

    /// Notes that bytes have just moved.
    package func noteProgress(of pause: Pause) {
        pauses.load()?.withLock { $0[pause].noteProgress() }
        outer?.noteProgress(of: pause)
    }

    package func endPause(_ pause: Pause) {
        pauses.load()?.withLock { $0[pause].endOne() }
        outer?.endPause(pause)
    }

    package func time(of pause: Pause) -> Duration {
        let own = pauses.load()?.withLock { $0[pause].total } ?? .zero
        guard let adopted = adopted.load() else { return own }
        return adopted.withLock { $0 }.reduce(own) { max($0, $1.time(of: pause)) }
    }
}

private struct PauseTimes {
    private var times = CallRecord.Pause.allCases.map { _ in PauseTime() }

    subscript(_ pause: CallRecord.Pause) -> PauseTime {
        get { times[pause.rawValue] }
        set { times[pause.rawValue] = newValue }
    }
}

/// The time during which at least one request pauses.
struct PauseTime {
    private var past = Duration.zero
    private var count = 0
    /// Nil while no request pauses.
    private var since: (scheduler: any FutureScheduler, start: SchedulerInstant)?
    /// The instant up to which the pause counts; nil if the pause counts until it ends.
    ///
    /// The instant moves whenever bytes have moved.
    private var last: SchedulerInstant?

    var total: Duration {
        past + (since.map { $0.start.duration(to: last ?? $0.scheduler.now) } ?? .zero)
    }

    mutating func beginOne(isOngoing: Bool, on scheduler: any FutureScheduler) {
        count += 1
        guard count == 1 else { return }
        let now = scheduler.now
        since = (scheduler, now)
        last = isOngoing ? nil : now
    }

    mutating func noteProgress() {
        if last != nil { last = since?.scheduler.now }
    }

    mutating func endOne() {
        guard count > 0 else { return }
        count -= 1
        guard count == 0 else { return }
        past = total
        (since, last) = (nil, nil)
    }
}

// MARK: - Users

extension CallRecord {
    /// Notes the users for whom a request is sent.
    ///
    /// A later attempt is sent for the same users, or fails.
    package func noteUsers(_ users: any CallUsers) {
        outer?.noteUsers(users)
        noted.storeIfNil(Locked(nil)).withLock { $0 = users }
    }

    /// The users that this attempt noted last, or else the users noted by a joined call that it has joined.
    var users: (any CallUsers)? {
        noted.load()?.withLock { $0 }
            ?? adopted.load()?.withLock { $0 }.lazy.compactMap(\.users).first
    }
}

// MARK: - The limits of time

extension CallRecord {
    /// Notes that the attempt is cancelled because its time is over.
    func runOutOfTime() { isLate.store(true, ordering: .relaxed) }

    /// True if the attempt, or one around it, is cancelled because its time is over.
    package var isOutOfTime: Bool {
        isLate.load(ordering: .relaxed) || outer?.isOutOfTime == true
    }
}

// MARK: - The verdict

extension CallRecord {
    /// The verdict on the attempt so far.
    package var verdict: Verdict {
        let own = state.load(ordering: .acquiring).verdict
        guard own != .harmful, let adopted = adopted.load() else { return own }
        return adopted.withLock { $0 }.reduce(own) { max($0, $1.verdict) }
    }

    /// Ends the attempt, so that it can't send anything more.
    ///
    /// The records of joined calls that it has joined stay open.
    ///
    /// - Returns: The verdict on the attempt.
    @discardableResult
    package func close() -> Verdict {
        update { $0.close() }
        return verdict
    }

    /// Counts a joined call's requests as requests of this attempt as well.
    ///
    /// This includes the requests that the joined call sent before this attempt joined it.
    ///
    /// - Parameter flight: The record of the joined call.
    package func adopt(_ flight: CallRecord) {
        adopted.storeIfNil(Locked([])).withLock { $0.append(flight) }
        outer?.adopt(flight)
    }
}

extension CallRecord.Verdict: Comparable {
    /// Returns whether the left verdict allows more than the right one.
    package static func < (left: Self, right: Self) -> Bool { left.severity < right.severity }

    private var severity: Int {
        switch self {
        case .nothing: 0
        case .repeatable: 1
        case .harmful: 2
        }
    }
}

private final class UnreplayableRequest: Sendable {
    /// Marks the request as ended, and returns true if it wasn't ended before.
    func markEnded() -> Bool { !isEnded.exchange(true, ordering: .acquiringAndReleasing) }

    private let isEnded = Atomic(false)
}

/// The one attempt of a hedged call that may send unreplayable requests.
final class SoleSender: Sendable {
    private let sender = Atomic<ObjectIdentifier?>(nil)

    /// Makes an attempt the sole sender, unless another attempt is already the sole sender.
    ///
    /// - Returns: True if the attempt is the sole sender now.
    fileprivate func claim(for record: CallRecord) -> Bool {
        let (isFirst, current) = sender.compareExchange(
            expected: nil, desired: ObjectIdentifier(record), ordering: .relaxed)
        return isFirst || current == ObjectIdentifier(record)
    }
}

extension CallRecord {
    /// Notes that other attempts run beside this one.
    ///
    /// - Parameter sender: The object that these attempts share. It knows an attempt by the identity of the attempt's
    ///   record, but doesn't keep the record alive. The policy that makes the attempts keeps all records alive, so that
    ///   no two records have the same identity.
    /// - Returns: The verdict on this attempt so far.
    func allowRivals(_ sender: SoleSender) -> Verdict {
        _ = soleSender.storeIfNil(sender)
        update { $0.addRivals() }
        return verdict
    }

    /// True if other attempts run beside this one, or beside an attempt around it.
    package var hasRivals: Bool {
        state.load(ordering: .acquiring).hasRivals || outer?.hasRivals ?? false
    }

    /// Claims the right to send unreplayable requests, and returns whether this attempt has it.
    func claim() -> Bool { soleSender.load()?.claim(for: self) ?? true }
}

/// The state of a ``CallRecord``, in one word of 64 bits.
struct RecordState: RawRepresentable, AtomicRepresentable {
    /// The bits of the state.
    ///
    /// Bit 0: closed; bit 1: has rivals; bit 2: has a mark; from bit 3 on: the number of unreplayable requests that
    /// may have arrived.
    private(set) var rawValue: UInt64 = 0

    init() {}

    init(rawValue: UInt64) { self.rawValue = rawValue }

    var isClosed: Bool { rawValue & 1 != 0 }

    var hasRivals: Bool { rawValue & 2 != 0 }

    var verdict: CallRecord.Verdict {
        if rawValue >> 3 > 0 { return .harmful }
        return rawValue & 4 == 0 ? .nothing : .repeatable
    }

    mutating func close() { rawValue |= 1 }

    mutating func addRivals() { rawValue |= 2 }

    /// Notes that the attempt records what it sends.
    mutating func noteMark() { rawValue |= 4 }

    mutating func addUnreplayable() { rawValue += 8 }

    /// Decreases the number of unreplayable requests by one.
    mutating func subtract() { rawValue -= 8 }
}
