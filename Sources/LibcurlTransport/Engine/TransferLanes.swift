import PledgeServices

/// The transfers to each host that need a connection of their own: as many as there may be connections have a lane,
/// and the others wait for one.
///
/// libcurl, which has the same limit, could let them wait. But it prepares a transfer before it looks for a connection,
/// and prepares it again once there is one.
struct TransferLanes {
    fileprivate struct Host {
        var busy = 0
        var waiting = WaitQueue<Transfer>()
    }

    private let limit: Int
    private var hosts: [String: Host] = [:]

    /// - Parameter limit: How many connections to one host there may be.
    init(limit: Int) { self.limit = limit }

    /// Gives a transfer a lane, or a place in the queue if there is none.
    ///
    /// - Returns: Whether it has a lane.
    mutating func enter(_ transfer: Transfer) -> Bool {
        guard let host = transfer.handle.laneHost else { return true }
        return hosts[host, default: Host()].enter(transfer, limit)
    }

    /// Takes the lane from a transfer, or its place in the queue.
    ///
    /// - Returns: The transfer that has waited longest, if it has the lane now.
    mutating func leave(_ transfer: Transfer) -> Transfer? {
        guard let host = transfer.handle.laneHost, let index = hosts.index(forKey: host) else {
            return nil
        }
        let next = hosts.values[index].leave(transfer)
        if hosts.values[index].busy == 0 { hosts.remove(at: index) }
        return next
    }
}

extension TransferLanes.Host {
    fileprivate mutating func enter(_ transfer: Transfer, _ limit: Int) -> Bool {
        if busy == limit {
            transfer.laneTicket = waiting.append(transfer)
            return false
        }
        busy += 1
        return true
    }

    fileprivate mutating func leave(_ transfer: Transfer) -> Transfer? {
        if let ticket = transfer.laneTicket.take() {
            _ = waiting.remove(ticket)
            return nil
        }
        guard let next = waiting.popFirst() else {
            busy -= 1
            return nil
        }
        next.laneTicket = nil
        return next
    }
}
