import CCurl

/// Waits for sockets and for a wake-up.
final class Poller: @unchecked Sendable {
    // A pointer that never changes. `wake` may be called by any thread; all else is called by the one
    // that waits.
    private let poller: OpaquePointer

    /// Makes a poller, or returns nil where the system has no descriptor left.
    init?() {
        guard let poller = ccurl_poller_make() else { return nil }
        self.poller = poller
    }

    deinit { ccurl_poller_free(poller) }

    /// Waits for a socket from now on: bits 1 in, 2 out; 0 no longer.
    @discardableResult
    func watch(_ socket: Int32, for bits: Int32, isKnown: Bool) -> Bool {
        ccurl_poller_watch(poller, socket, bits, isKnown)
    }

    /// Waits, and gives the number of sockets that are ready.
    ///
    /// - Parameter milliseconds: How long at most; -1 forever.
    func wait(into ready: UnsafeMutableBufferPointer<ccurl_ready>, _ milliseconds: Int32) -> Int {
        guard let start = ready.baseAddress else { return 0 }
        return Int(ccurl_poller_wait(poller, start, Int32(ready.count), milliseconds))
    }

    /// Ends a wait, or the next one.
    func wake() { ccurl_poller_wake(poller) }
}
