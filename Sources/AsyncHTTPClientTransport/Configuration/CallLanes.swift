#if AsyncHTTPClient
import Futures
import HTTPNetworking
import NIOCore

/// A call that waits for its turn.
protocol LaneUser: AnyObject, Sendable {
    /// Begins it on a lane, which it leaves at its end.
    func start(on lane: CallLane)

    /// Ends it, since its turn has not come within so long.
    func endWait(after limit: Duration)
}

/// What one call at a time is made on: an event loop, where the connection of the call before is.
final class CallLane: Sendable {
    let loop: any EventLoop
    /// Known as long as somebody is on one of its lanes.
    fileprivate unowned let host: LaneHost
    fileprivate let state = Locked((isBeginning: false, wasLeft: false))

    fileprivate init(to host: LaneHost, on loop: any EventLoop) {
        self.host = host
        self.loop = loop
    }
}

/// Makes as many calls to a host at a time as it may have connections, over HTTP/1.1.
///
/// AsyncHTTPClient would let the others wait itself. But it gives a connection that comes free to whichever
/// call has waited longest, also to one on another event loop, and then each step of that call goes from
/// one thread to the other. A lane keeps to its event loop, and finds there the connection that it made.
/// The calls to a host begin in the order in which they came.
final class CallLanes: Sendable {
    private let loops: [any EventLoop]
    private let limit: Int
    /// Nil where a call may wait forever.
    private let watches: IdleWatches?
    private let hosts = Locked(LaneHosts())

    /// - Parameters:
    ///   - group: Where connections are made.
    ///   - limit: How many connections there may be to one host.
    ///   - patience: How long a call may wait, nil forever.
    init(
        in group: any EventLoopGroup, limit: Int, patience: Duration?, on scheduler: any Scheduler
    ) {
        loops = Array(group.makeIterator())
        self.limit = max(1, limit)
        watches = patience.map { IdleWatches($0, on: scheduler) }
    }

    /// Gives a call a lane, now or when its turn has come.
    func enter(_ name: String, _ user: any LaneUser) {
        let lane = hosts.withLock { hosts -> CallLane? in
            let host = hosts.host(named: name)
            if let lane = host.free.popLast() { return lane }
            guard host.laneCount < limit else {
                let place = watches.map { $0.add(LaneWait(user, watches: $0)) }
                host.waiting.append((user, place))
                return nil
            }
            host.laneCount += 1
            return CallLane(to: host, on: loop(of: host.laneCount, to: name))
        }
        if let lane { user.start(on: lane) }
    }

    /// Takes back a call that waits; harmless where it does not.
    func withdraw(_ user: any LaneUser, from name: String) {
        let place = hosts.withLock { hosts -> Int? in
            guard let host = hosts.known[name],
                let index = host.waiting.firstIndex(where: { $0.user === user })
            else { return nil }
            return host.waiting.remove(at: index).place
        }
        if let place { watches?.remove(place) }
    }

    /// Ends a call that was on a lane, and begins the next.
    ///
    /// A call may end while it is begun; what comes after it is begun by a loop, not within it.
    /// - Returns: Whether one has begun, or is about to be looked for.
    @discardableResult
    func leave(_ lane: CallLane) -> Bool {
        let isBeginning = lane.state.withLock { state in
            state.wasLeft = true
            return state.isBeginning
        }
        if isBeginning { return true }
        var hasBegun = false
        while let next = next(on: lane) {
            hasBegun = true
            if let place = next.place { watches?.remove(place) }
            lane.state.withLock { $0 = (isBeginning: true, wasLeft: false) }
            next.user.start(on: lane)
            let wasLeft = lane.state.withLock { state in
                state.isBeginning = false
                return state.wasLeft
            }
            if !wasLeft { return true }
        }
        return hasBegun
    }

    private func next(on lane: CallLane) -> LaneHost.Waiting? {
        hosts.withLock { _ in
            if let next = lane.host.waiting.popFirst() { return next }
            lane.host.free.append(lane)
            return nil
        }
    }

    /// The loop of a lane: the same whenever it is opened, so that it finds its connection, and for each
    /// host another first.
    private func loop(of lane: Int, to name: String) -> any EventLoop {
        loops[Int((UInt(bitPattern: name.hashValue) &+ UInt(lane)) % UInt(loops.count))]
    }
}

/// The wait of a call for its turn, which is counted apart from the time in which nothing comes or goes.
private final class LaneWait: IdleWatched {
    private let user: any LaneUser
    private let limit: Duration
    let lastSign: SchedulerInstant?

    init(_ user: any LaneUser, watches: IdleWatches) {
        self.user = user
        limit = watches.limit
        lastSign = watches.scheduler.now
    }

    func timeOut() { user.endWait(after: limit) }
}

/// The hosts that are called, and some that were.
private struct LaneHosts {
    private(set) var known: [String: LaneHost] = [:]
    /// How many there may be before those that nobody calls are forgotten.
    private var limit = 64

    mutating func host(named name: String) -> LaneHost {
        if let host = known[name] { return host }
        if known.count >= limit {
            known = known.filter { $0.value.isUsed }
            limit = max(64, 2 * known.count)
        }
        let host = LaneHost()
        known[name] = host
        return host
    }
}

/// The lanes to a host.
///
/// Touched under the lock of ``CallLanes`` only.
private final class LaneHost: @unchecked Sendable {
    typealias Waiting = (user: any LaneUser, place: Int?)

    /// The lanes that nobody is on, the last left last.
    var free: [CallLane] = []
    var laneCount = 0
    /// Who waits, the first first.
    var waiting = CircularBuffer<Waiting>()

    /// Whether a call is made, or waits.
    var isUsed: Bool { free.count < laneCount }
}
#endif
