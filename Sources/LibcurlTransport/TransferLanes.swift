import CPledgeCurl
import PledgeFutures
import PledgeServices

/// Limits how many transfers to a host have a connection of their own; the others wait in a queue.
///
/// A transfer that may run holds a lane: the right to one connection to its host. A host has as many lanes as it may
/// have connections. libcurl has the same limit, and could itself let transfers wait. But libcurl would prepare each
/// waiting transfer twice: before it looks for a connection, and again when it has one.
///
/// A transfer is silent if no byte has come for twice as long as the host's first bytes usually take, at least
/// 50 ms and at most a second. If others wait, a silent transfer gives them its lane, and goes on without one. So servers
/// that hang don't keep the calls that others would answer at once. Each silent transfer keeps its connection, so there
/// can be only so many; more keep their lanes.
struct TransferLanes {
    /// What a transfer has of a host's lanes.
    enum Place {
        case none
        case waiting(ticket: Int)
        case lane(Int)
        /// The transfer runs without a lane, because it is silent.
        case silent

        var isWaiting: Bool { if case .waiting = self { true } else { false } }
    }

    fileprivate struct Host {
        var busy: [Transfer] = []
        var silent = 0
        var waiting = WaitQueue<Transfer>()
        var nextLook: SchedulerInstant?
        /// The moving average of the time until the first byte of an answer; nil before the first answer.
        var usualWait: Duration?

        /// The time without a byte after which a transfer is silent.
        var silence: Duration {
            guard let usualWait else { return .seconds(1) }
            return min(max(usualWait * 2, .milliseconds(50)), .seconds(1))
        }

        var isUnused: Bool { busy.isEmpty && silent == 0 }
    }

    /// The time between two looks for silent transfers, while others wait.
    static let pause = Duration.milliseconds(25)

    private let limit: Int
    private let maxSilent: Int
    private var hosts: [String: Host] = [:]
    /// The hosts that could have spoken HTTP/2 over TLS and chose HTTP/1.1, so each of their transfers needs a lane.
    private var http1Hosts: Set<String> = []
    /// The number of transfers that run without a lane because they are silent.
    private(set) var silentCount = 0
    /// True if there have been more silent transfers since the loop set this to false.
    var hasNewSilence = false
    /// When ``look(at:)`` is due; nil while nobody waits.
    private(set) var nextLook: SchedulerInstant?

    /// Creates the lanes, each of which is the right to a connection to a host.
    ///
    /// - Parameters:
    ///   - limit: The largest number of connections to one host.
    ///   - silent: The largest number of silent transfers that run without a lane, to all hosts.
    init(limit: Int, silent maxSilent: Int) {
        self.limit = limit
        self.maxSilent = maxSilent
    }

    /// The number of connections that may be silent: half of the files that the process may have open.
    static func silentLimit() -> Int { Int(ccurl_file_limit()) / 2 }

    /// Gives a transfer a lane, which is the right to a connection, or a place in the queue if all lanes are taken.
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

    /// Frees the transfer's lane, which is its right to a connection, or removes the transfer from the queue.
    ///
    /// - Returns: The transfer that gets the freed lane, because it has waited longest; nil if there is none.
    mutating func leave(_ transfer: Transfer) -> Transfer? {
        guard let name = transfer.handle.laneHost, let index = hosts.index(forKey: name) else {
            return nil
        }
        if case .silent = transfer.lane { silentCount -= 1 }
        let next = hosts.values[index].leave(transfer)
        if hosts.values[index].isUnused { hosts.remove(at: index) }
        return next
    }

    /// Takes the lanes of silent transfers for those that wait.
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

    /// Notes that a transfer's answer begins.
    ///
    /// - Parameter wait: The time since the transfer began, or since it last sent bytes of its body.
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
    /// Notes that a host speaks HTTP/1.1; returns false if that was known.
    mutating func noteHTTP1(_ host: String) -> Bool {
        if http1Hosts.count >= 1_024 { http1Hosts.removeAll() }
        return http1Hosts.insert(host).inserted
    }

    /// Notes that a host speaks HTTP/2.
    mutating func noteHTTP2(_ host: String) {
        if !http1Hosts.isEmpty { http1Hosts.remove(host) }
    }

    /// Gives a lane to a transfer that has a connection already, even if all lanes are taken.
    mutating func admit(_ transfer: Transfer) {
        transfer.handle.laneHost = transfer.authority
        transfer.connection?.isHTTP1 = true
        hosts[transfer.authority, default: Host()].begin(transfer)
    }

    /// Lets a transfer need a lane if its host has chosen HTTP/1.1 before.
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
    /// - Returns: Whether the transfer waits, and the number of lanes that were taken from silent transfers.
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

    /// Frees or leaves a transfer's place; returns the transfer that gets its lane.
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

    /// Takes the lanes of silent transfers, but no more than others wait for.
    ///
    /// - Returns: The number of lanes taken.
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

    /// Gives the free lanes to those that wait; returns them.
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
