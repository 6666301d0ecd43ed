extension FutureNode {
    /// How many upstreams are looked at where a future is adopted.
    private static var reach: Int { 64 }

    /// The error of a future that would wait for itself; nil if it would not, as far as the reach goes.
    ///
    /// Follows the one upstream of each derived future, beginning with `inner`.
    final func cycle(through inner: FutureNode) -> FutureError? {
        var last = inner
        for _ in 0..<Self.reach {
            if last === self {
                return FutureError(.cycle, at: origin, through: inner === self ? nil : inner.origin)
            }
            guard let upstream = last.lockedUpstream() else { return nil }
            last = upstream
        }
        return nil
    }

    /// The upstream of a pending derived future, retained; nil if there is none.
    final func lockedUpstream() -> FutureNode? {
        guard !isRoot, lockIfPending() else { return nil }
        let upstream = retainUpstream()
        unlock()
        return upstream
    }
}
