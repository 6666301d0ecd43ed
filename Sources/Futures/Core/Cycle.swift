extension FutureNode {
    /// How many upstreams are checked when a future is adopted.
    private static var reach: Int { 64 }

    /// The error of a future that would wait for itself; nil if no cycle is found within `reach`.
    ///
    /// Follows the one upstream of each derived future, beginning with `inner`. A longer cycle, or one through an
    /// aggregate, is reported after ``FutureDiagnostics/awaitingLimit``.
    final func cycle(through inner: FutureNode) -> FutureError? {
        var last = inner
        for _ in 0..<Self.reach {
            if last === self {
                var error = FutureError(.cycle, at: origin)
                if inner !== self { error.secondLocation = inner.origin }
                return error
            }
            guard let upstream = last.lockedUpstream() else { break }
            last = upstream
        }
        if !last.isRoot, last.isPending { FutureDiagnostics.watchForCycle(self) }
        return nil
    }

    /// The upstream of a pending derived future, retained; nil if there is none.
    final func lockedUpstream() -> FutureNode? {
        guard !isRoot, lockIfPending() else { return nil }
        let upstream = retainUpstream()
        unlock()
        return upstream
    }

    /// Searches everything that this waits for, breadth first, for a way back: at most 10,000 nodes.
    /// - Returns: The nodes of the cycle, or none.
    final func findCycle() -> [FutureNode] {
        var found: [(node: FutureNode, from: Int)] = [(self, -1)]
        var known: Set = [ObjectIdentifier(self)]
        var index = 0
        while index < found.count, found.count < 10_000 {
            let node = found[index].node
            for next in [node.lockedUpstream()].compactMap(\.self) + node.inputsOfAggregate {
                if next === self { return way(to: index, in: found) }
                if known.insert(ObjectIdentifier(next)).inserted { found.append((next, index)) }
            }
            index += 1
        }
        return []
    }

    private func way(to end: Int, in found: [(node: FutureNode, from: Int)]) -> [FutureNode] {
        var (way, index): ([FutureNode], Int) = ([], end)
        while index >= 0 {
            way.append(found[index].node)
            index = found[index].from
        }
        return way.reversed()
    }
}
