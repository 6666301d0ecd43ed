#if AsyncHTTPClient
import NIOCore
import PledgeFutures
import PledgeHTTPMessages

/// A call that has a lane, or waits for one.
protocol LaneUser: AnyObject, Sendable {
    /// Begins the call on a lane; the call leaves the lane when it ends.
    func start(on lane: CallLane)

    /// Called, under a lock, when the call has to wait; it must not use the lanes.
    func willWait()
}

/// The right to run, for one call to a host at a time.
///
/// A lane's calls all run on the same event loop.
final class CallLane: Sendable {
    let loop: any EventLoop
    /// It exists at least as long as one of its lanes has a call.
    fileprivate unowned let host: LaneHost
    fileprivate let state = Locked((isBeginning: false, wasLeft: false))

    fileprivate init(to host: LaneHost, on loop: any EventLoop) {
        self.host = host
        self.loop = loop
    }
}

/// Limits the running calls to a host to the number of its HTTP/1.1 connections; the others wait.
///
/// AsyncHTTPClient could queue them itself. But it gives a free connection to the call that has waited longest, even if
/// that is on another event loop, and then each step of the call changes threads. A lane stays on its event loop, where
/// its calls find the connection of the call before. A host's calls begin in the order of their arrival.
final class CallLanes: Sendable {
    private let loops: [any EventLoop]
    private let limit: Int
    private let hosts = Locked(LaneHosts())

    /// `group` has the event loops of the connections, and `limit` is the most connections to one host.
    init(in group: any EventLoopGroup, limit: Int) {
        loops = Array(group.makeIterator())
        self.limit = max(1, limit)
    }

    /// Gives a call a lane, at once or when one becomes free.
    func enterLane(_ name: String, _ user: any LaneUser) {
        let lane = hosts.withLock { hosts -> CallLane? in
            let host = hosts.host(named: name)
            if let lane = host.free.popLast() { return lane }
            guard host.laneCount < limit else {
                user.willWait()
                host.waiting.append(user)
                return nil
            }
            host.laneCount += 1
            return CallLane(to: host, on: loop(of: host.laneCount, to: name))
        }
        if let lane { user.start(on: lane) }
    }

    /// Removes a waiting call; does nothing if it doesn't wait.
    func withdraw(_ user: any LaneUser, from name: String) {
        hosts.withLockThenRelease { hosts -> (any LaneUser)? in
            guard let host = hosts.known[name],
                let index = host.waiting.firstIndex(where: { $0 === user })
            else { return nil }
            return host.waiting.remove(at: index)
        }
    }

    /// Frees the lane of an ended call, and begins the next call on it.
    ///
    /// If that call ends at once, this method's loop begins the one after it, which avoids recursion.
    ///
    /// - Returns: True if a call has begun, or is about to.
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
            lane.state.withLock { $0 = (isBeginning: true, wasLeft: false) }
            next.start(on: lane)
            let wasLeft = lane.state.withLock { state in
                state.isBeginning = false
                return state.wasLeft
            }
            if !wasLeft { return true }
        }
        return hasBegun
    }

    private func next(on lane: CallLane) -> (any LaneUser)? {
        hosts.withLock { _ in
            if let next = lane.host.waiting.popFirst() { return next }
            lane.host.free.append(lane)
            return nil
        }
    }

    /// The event loop of a lane.
    ///
    /// A lane with the same number always gets the same event loop, so that it finds its connection there. The first
    /// lanes of different hosts usually get different ones.
    private func loop(of lane: Int, to name: String) -> any EventLoop {
        loops[Int((UInt(bitPattern: name.hashValue) &+ UInt(lane)) % UInt(loops.count))]
    }
}

/// The hosts of the current calls, and some of earlier calls.
private struct LaneHosts {
    private(set) var known: [String: LaneHost] = [:]
    /// At this number of hosts, the unused ones are removed.
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

/// The lanes to a host; used only under the lock of ``CallLanes``.
private final class LaneHost: @unchecked Sendable {
    /// In the order in which calls left them.
    var free: [CallLane] = []
    var laneCount = 0
    /// Oldest first.
    var waiting = CircularBuffer<any LaneUser>()

    /// True if a call runs or waits.
    var isUsed: Bool { free.count < laneCount }
}
#endif
