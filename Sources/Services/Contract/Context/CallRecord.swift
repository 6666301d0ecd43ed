package import PledgeFutures
import Synchronization

/// A record of the requests that one attempt of a call has sent, for a policy that may repeat the call.
///
/// A policy that may repeat binds a record in the ``CallContext`` of each attempt. Code that sends a request
/// notes a mark in it before it sends, and afterwards the request's fate. So the policy decides by what left
/// the process, whatever code is in between: functions that convert inputs to requests, further policies,
/// your own services. ``CallContext/sending(_:fate:by:)`` notes both.
///
/// Marks count in the records of the outer attempts as well, which this attempt is part of. A record may be
/// used from any thread; each use is a few atomic operations for each outer attempt.
public final class CallRecord: Sendable {
    /// The fate of a request that was sent.
    public enum Fate: Hashable, Sendable {
        /// It did not leave the process, or did not reach the service.
        case unsent
        /// The service refused it and did not process it, as HTTP's 401, 421 and 425 say.
        case refused
        /// Anything else: it may have been processed.
        case mayHaveArrived
    }

    /// What an attempt has done.
    public enum Verdict: Hashable, Sendable {
        /// No mark was noted, so nothing is known.
        case nothing
        /// All requests that may have been processed may be processed twice.
        case repeatable
        /// A request that may not be processed twice may have been processed.
        case harmful
    }

    /// A request that is being sent.
    public struct Mark: Sendable {
        /// Nil if the request may be processed twice, so that its fate does not matter.
        fileprivate let request: UnreplayableRequest?
    }

    /// The record of the attempt that this one is part of.
    private let outer: CallRecord?
    /// A mark of the outer record that the first one of this record replaces.
    private let presumed: Mark?
    private let state = Atomic(RecordState())
    private let adopted = AtomicLazyReference<Locked<[CallRecord]>>()
    private let pauses = AtomicLazyReference<Locked<PauseTimes>>()
    let soleSender = AtomicLazyReference<SoleSender>()
    private let noted = AtomicLazyReference<Locked<(any CallUsers)?>>()

    /// Makes a record.
    ///
    /// - Parameter outer: The record of the attempt that the new one is part of.
    public convenience init(within outer: CallRecord? = nil) { self.init(outer, presuming: nil) }

    private init(_ outer: CallRecord?, presuming mark: Mark?) {
        self.outer = outer
        presumed = mark
    }
}

// MARK: - What is sent

extension CallRecord {
    /// Notes that a request is about to be sent.
    ///
    /// - Parameter isReplayable: Whether it does no harm if the request is processed twice.
    /// - Returns: The mark to be given to ``end(_:_:)``.
    /// - Throws: ``AttemptSuperseded``, and then the request must not be sent: the attempt, or one around it, is
    ///   over; or the request is not replayable, the call is hedged, and another of its attempts has sent
    ///   such a request.
    public func willSend(replayable isReplayable: Bool) throws(AttemptSuperseded) -> Mark {
        let mark = Mark(request: isReplayable ? nil : UnreplayableRequest())
        try add(mark)
        return mark
    }

    /// Notes a request that this process keeps back until ``willSend(replayable:)``, as in the queue for a
    /// connection: until then nothing has been sent, so the attempt may be repeated.
    ///
    /// - Throws: ``AttemptSuperseded`` if the attempt, or one around it, is over.
    public func willQueue() throws(AttemptSuperseded) {
        try outer?.willQueue()
        let isOpen = change { state in
            if state.isClosed { return false }
            state.addMark()
            return true
        }
        guard isOpen else { throw AttemptSuperseded() }
        if let presumed { outer?.end(presumed, .unsent) }
    }

    /// Notes the fate of a request; without this note, the request counts as possibly arrived.
    ///
    /// - Parameters:
    ///   - mark: The request's mark. Only its first end counts.
    ///   - fate: The fate.
    public func end(_ mark: Mark, _ fate: Fate) {
        guard let request = mark.request, request.end(), fate != .mayHaveArrived else { return }
        subtract()
    }

    /// Makes a record for a part of the attempt that may or may not note what it sends.
    ///
    /// - Parameter mark: A mark of this record, for what the part sends; it is removed as soon as
    ///   the part notes a mark of its own.
    public func part(presuming mark: Mark) -> CallRecord { CallRecord(self, presuming: mark) }

    /// From the outermost record inwards; if one refuses, none keeps the mark.
    private func add(_ mark: Mark) throws(AttemptSuperseded) {
        try outer?.add(mark)
        let isReplayable = mark.request == nil
        let isAdded = change { state in
            if state.isClosed { return false }
            if !isReplayable, state.hasRivals, !claim() { return false }
            state.add(isReplayable: isReplayable)
            return true
        }
        guard isAdded else {
            if !isReplayable { outer?.subtract() }
            throw AttemptSuperseded()
        }
        if let presumed { outer?.end(presumed, .unsent) }
    }

    /// Removes an unreplayable mark.
    private func subtract() {
        change { state in
            state.subtract()
            return true
        }
        outer?.subtract()
    }

    /// - Parameter change: Makes the new state from the old one, and returns whether there is a change.
    ///   Called again if another thread was first.
    @discardableResult
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

// MARK: - Time that limits do not count

extension CallRecord {
    /// Why time passes that says nothing about the service.
    package enum Pause: Int, CaseIterable, Sendable {
        /// A request waits in a queue of this process.
        case queue
        /// Bytes of a request's body leave.
        case upload
        /// Bytes of a response's body arrive.
        case download
    }

    /// Notes that such time begins.
    ///
    /// - Parameters:
    ///   - pause: Why.
    ///   - isOngoing: Whether it lasts until ``end(_:)``, and not only until the last ``touch(_:)``.
    ///   - scheduler: The clock.
    package func begin(_ pause: Pause, isOngoing: Bool = true, on scheduler: any Scheduler) {
        pauses.storeIfNil(Locked(PauseTimes())).withLock {
            $0[pause].begin(isOngoing: isOngoing, on: scheduler)
        }
        outer?.begin(pause, isOngoing: isOngoing, on: scheduler)
    }

    /// Notes that bytes have just moved.
    package func touch(_ pause: Pause) {
        pauses.load()?.withLock { $0[pause].touch() }
        outer?.touch(pause)
    }

    /// Notes that such time ends.
    package func end(_ pause: Pause) {
        pauses.load()?.withLock { $0[pause].end() }
        outer?.end(pause)
    }

    /// How much such time has passed so far.
    func time(of pause: Pause) -> Duration {
        let own = pauses.load()?.withLock { $0[pause].total } ?? .zero
        guard let adopted = adopted.load() else { return own }
        return adopted.withLock { $0 }.reduce(own) { max($0, $1.time(of: pause)) }
    }
}

/// The time of each kind of pause.
private struct PauseTimes {
    private var times = CallRecord.Pause.allCases.map { _ in PauseTime() }

    subscript(_ pause: CallRecord.Pause) -> PauseTime {
        get { times[pause.rawValue] }
        set { times[pause.rawValue] = newValue }
    }
}

/// The time during which at least one request pauses.
private struct PauseTime {
    private var past = Duration.zero
    private var count = 0
    /// Nil if none pauses.
    private var since: (scheduler: any Scheduler, start: SchedulerInstant)?
    /// Until when it counts; nil: until now.
    private var last: SchedulerInstant?

    var total: Duration {
        past + (since.map { $0.start.duration(to: last ?? $0.scheduler.now) } ?? .zero)
    }

    mutating func begin(isOngoing: Bool, on scheduler: any Scheduler) {
        count += 1
        guard count == 1 else { return }
        let now = scheduler.now
        since = (scheduler, now)
        last = isOngoing ? nil : now
    }

    mutating func touch() {
        if last != nil { last = since?.scheduler.now }
    }

    mutating func end() {
        guard count > 0 else { return }
        count -= 1
        guard count == 0 else { return }
        past = total
        (since, last) = (nil, nil)
    }
}

// MARK: - Whom it is for

extension CallRecord {
    /// Notes the users that a request is sent for: a further attempt is for the same ones, or fails.
    package func note(users: any CallUsers) {
        outer?.note(users: users)
        noted.storeIfNil(Locked(nil)).withLock { $0 = users }
    }

    /// The users that were noted last; nil if no part beneath knows any.
    var users: (any CallUsers)? {
        noted.load()?.withLock { $0 }
            ?? adopted.load()?.withLock { $0 }.lazy.compactMap(\.users).first
    }
}

// MARK: - What it means

extension CallRecord {
    /// The verdict on the attempt so far.
    public var verdict: Verdict {
        let own = state.load(ordering: .acquiring).verdict
        guard own != .harmful, let adopted = adopted.load() else { return own }
        return adopted.withLock { $0 }.reduce(own) { max($0, $1.verdict) }
    }

    /// Ends the attempt: from now on it may send nothing.
    ///
    /// The records of shared calls that it has joined stay open.
    ///
    /// - Returns: The verdict on the attempt.
    @discardableResult
    public func close() -> Verdict {
        change { state in
            state.close()
            return true
        }
        return verdict
    }

    /// Counts the requests of a shared call, before and after this, as requests of this attempt as well.
    ///
    /// - Parameter flight: The record of the shared call.
    public func adopt(_ flight: CallRecord) {
        adopted.storeIfNil(Locked([])).withLock { $0.append(flight) }
        outer?.adopt(flight)
    }
}

extension CallRecord.Verdict: Comparable {
    /// Whether the left one allows more than the right one.
    public static func < (left: Self, right: Self) -> Bool { left.severity < right.severity }

    private var severity: Int {
        switch self {
        case .nothing: 0
        case .repeatable: 1
        case .harmful: 2
        }
    }
}

/// A request that may not be processed twice.
private final class UnreplayableRequest: Sendable {
    /// Ends it, the first time.
    func end() -> Bool { !isEnded.exchange(true, ordering: .acquiringAndReleasing) }

    private let isEnded = Atomic(false)
}
