import CPledgeCurl
import PledgeFutures
import PledgeServices

/// Limits how many transfers have a connection to a host; the others wait in a queue.
///
/// A lane is the right to one connection. libcurl has the same limit, and could make transfers wait itself. But it
/// would prepare each of them twice: before it looks for a connection, and again when it has one.
///
/// A transfer is silent if no byte has come for twice as long as the host's first bytes usually take (at least 50 ms,
/// at most a second). If others wait, a silent transfer gives up its lane and goes on without one. So servers that hang
/// don't keep back calls that others would answer at once. A silent transfer keeps its connection, so at most `maxSilent`
/// transfers go on without a lane.
struct TransferLanes {
    enum Place {
        case none
        case waiting(ticket: Int)
        case lane(Int)
        /// It runs without a lane, because it is silent.
        case silent

        var isWaiting: Bool { if case .waiting = self { true } else { false } }
    }

    fileprivate struct Host {
        var busy: [Transfer] = []
        var silent = 0
        var waiting = WaitQueue<Transfer>()
        var nextLook: SchedulerInstant?
        /// The moving average of the time until an answer's first byte; nil before the first answer.
        var usualWait: Duration?

        /// How long a transfer may be without a byte before it counts as silent.
        var silence: Duration {
            guard let usualWait else { return .seconds(1) }
            return min(max(usualWait * 2, .milliseconds(50)), .seconds(1))
        }

        var isUnused: Bool { busy.isEmpty && silent == 0 }
    }

    /// While transfers wait, the time between two searches for silent ones.
    static let pause = Duration.milliseconds(25)

    private let limit: Int
    private let maxSilent: Int
    private var hosts: [String: Host] = [:]
    /// Hosts that could have spoken HTTP/2 over TLS and chose HTTP/1.1; each of their transfers needs a lane.
    private var http1Hosts: Set<String> = []
    /// How many silent transfers run without a lane.
    private(set) var silentCount = 0
    /// True if there have been more silent transfers since the loop last looked.
    var hasNewSilence = false
    /// When ``look(at:)`` is due; nil while nobody waits.
    private(set) var nextLook: SchedulerInstant?

    /// `limit` is the most connections to one host, and `maxSilent` the most silent transfers without a lane, to all
    /// hosts.
    init(limit: Int, silent maxSilent: Int) {
        self.limit = limit
        self.maxSilent = maxSilent
    }

    /// Half of the files that the process may have open.
    static func silentLimit() -> Int { Int(ccurl_file_limit()) / 2 }

    /// Gives a transfer a lane, or a place in the queue.
    ///
    /// - Returns: True if the transfer may run now.
    mutating func enterLane(_ transfer: Transfer, at now: SchedulerInstant) -> Bool {
        noteHost(of: transfer)
        guard let name = transfer.handle.laneHost else { return true }
        let room = maxSilent - silentCount
        let (isWaiting, silent) = hosts[name, default: Host()].enterLane(transfer, limit, room, now)
        noteSilent(silent)
        if isWaiting {
            nextLook = min(nextLook ?? now.advanced(by: Self.pause), now.advanced(by: Self.pause))
        }
        return !isWaiting
    }

    /// Frees the transfer's lane, or removes it from the queue.
    ///
    /// - Returns: The transfer that gets the freed lane: the one that has waited longest.
    mutating func leave(_ transfer: Transfer) -> Transfer? {
        guard let name = transfer.handle.laneHost, let index = hosts.index(forKey: name) else {
            return nil
        }
        if case .silent = transfer.lane { silentCount -= 1 }
        let next = hosts.values[index].leave(transfer)
        if hosts.values[index].isUnused { hosts.remove(at: index) }
        return next
    }

    /// Gives the lanes of silent transfers to those that wait.
    ///
    /// - Returns: The transfers that may run now.
    mutating func look(at now: SchedulerInstant) -> [Transfer] {
        nextLook = nil
        var next: [Transfer] = []
        for index in hosts.indices where !hosts.values[index].waiting.isEmpty {
            noteSilent(hosts.values[index].giveLanes(at: now, upTo: maxSilent - silentCount))
            next += hosts.values[index].beginWaiting(limit)
            if !hosts.values[index].waiting.isEmpty { nextLook = now.advanced(by: Self.pause) }
        }
        return next
    }

    /// Records that an answer begins.
    ///
    /// - Parameter wait: How long the transfer has waited since it began, or since it last sent bytes of its body.
    mutating func noteAnswer(to transfer: Transfer, after wait: Duration) {
        guard let name = transfer.handle.laneHost, let index = hosts.index(forKey: name) else {
            return
        }
        let wait = min(wait, .seconds(1))
        let last = hosts.values[index].usualWait ?? wait
        hosts.values[index].usualWait = last + (wait - last) / 8
    }

    private mutating func noteSilent(_ count: Int) {
        silentCount += count
        if count > 0 { hasNewSilence = true }
    }
}

extension TransferLanes {
    /// Returns false if it was known that the host speaks HTTP/1.1.
    mutating func noteHTTP1(_ host: String) -> Bool {
        if http1Hosts.count >= 1_024 { http1Hosts.removeAll() }
        return http1Hosts.insert(host).inserted
    }

    mutating func noteHTTP2(_ host: String) {
        if !http1Hosts.isEmpty { http1Hosts.remove(host) }
    }

    /// Gives a lane to a transfer that already has a connection, even if all lanes are taken.
    mutating func admit(_ transfer: Transfer) {
        transfer.handle.laneHost = transfer.authority
        transfer.connection?.isHTTP1 = true
        hosts[transfer.authority, default: Host()].begin(transfer)
    }

    /// Has the transfer need a lane if its host has chosen HTTP/1.1 before.
    private func noteHost(of transfer: Transfer) {
        guard transfer.handle.laneHost == nil, !http1Hosts.isEmpty,
            http1Hosts.contains(transfer.authority)
        else { return }
        transfer.handle.laneHost = transfer.authority
    }
}

extension TransferLanes.Host {
    /// Gives a transfer a lane or a place in the queue.
    ///
    /// - Returns: Whether it waits, and how many lanes were taken from silent transfers.
    fileprivate mutating func enterLane(
        _ transfer: Transfer, _ limit: Int, _ room: Int, _ now: SchedulerInstant
    ) -> (isWaiting: Bool, silent: Int) {
        var silent = 0
        if busy.count >= limit, nextLook ?? now <= now {
            silent = giveLanes(at: now, upTo: min(1, room))
        }
        let isWaiting = busy.count >= limit
        if isWaiting {
            transfer.lane = .waiting(ticket: waiting.append(transfer))
        } else {
            begin(transfer)
        }
        return (isWaiting, silent)
    }

    /// Frees the transfer's lane or place; returns the transfer that gets the lane.
    fileprivate mutating func leave(_ transfer: Transfer) -> Transfer? {
        defer { transfer.lane = .none }
        switch transfer.lane {
        case .none: return nil
        case .waiting(let ticket):
            _ = waiting.remove(ticket)
            return nil
        case .silent:
            silent -= 1
            return nil
        case .lane: endTransfer(transfer)
        }
        guard let next = waiting.popFirst() else { return nil }
        begin(next)
        return next
    }

    /// Takes lanes from silent transfers, as many as others wait for.
    ///
    /// - Returns: How many lanes were taken.
    fileprivate mutating func giveLanes(at now: SchedulerInstant, upTo room: Int) -> Int {
        nextLook = now.advanced(by: TransferLanes.pause)
        let limit = silence
        let silent = busy.filter { $0.expectsBytes && $0.lastSign.duration(to: now) >= limit }
        let taken = silent.prefix(max(0, min(room, max(1, waiting.count))))
        for transfer in taken {
            endTransfer(transfer)
            transfer.lane = TransferLanes.Place.silent
        }
        self.silent += taken.count
        return taken.count
    }

    /// Gives free lanes to waiting transfers, and returns these transfers.
    fileprivate mutating func beginWaiting(_ limit: Int) -> [Transfer] {
        var next: [Transfer] = []
        while busy.count < limit, let transfer = waiting.popFirst() {
            begin(transfer)
            next.append(transfer)
        }
        return next
    }

    fileprivate mutating func begin(_ transfer: Transfer) {
        transfer.lane = .lane(busy.count)
        busy.append(transfer)
    }

    private mutating func endTransfer(_ transfer: Transfer) {
        guard case .lane(let index) = transfer.lane else { return }
        transfer.lane = .none
        let last = busy.removeLast()
        if last === transfer { return }
        busy[index] = last
        last.lane = .lane(index)
    }
}
