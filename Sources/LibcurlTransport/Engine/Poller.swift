import CPledgeCurl

/// Waits for sockets and for a wake-up.
final class Poller: @unchecked Sendable {
    // A pointer that never changes. Any thread may call `wake`; only the thread that waits calls the rest.
    private let poller: OpaquePointer

    /// Makes a poller, or returns nil if the system has no descriptor left.
    init?() {
        guard let poller = ccurl_poller_make() else { return nil }
        self.poller = poller
    }

    deinit { ccurl_poller_free(poller) }

    /// Sets what to wait for on a socket: bits 1 in, 2 out; 0 to stop waiting for it.
    @discardableResult
    func watch(_ socket: Int32, for bits: Int32, isKnown: Bool) -> Bool {
        ccurl_poller_watch(poller, socket, bits, isKnown)
    }

    /// Waits, and returns the number of sockets that are ready.
    ///
    /// - Parameter milliseconds: The maximum time; -1 for no limit.
    func wait(into ready: UnsafeMutableBufferPointer<ccurl_ready>, _ milliseconds: Int32) -> Int {
        guard let start = ready.baseAddress else { return 0 }
        return Int(ccurl_poller_wait(poller, start, Int32(ready.count), milliseconds))
    }

    /// Ends the present wait, or the next one.
    func wake() { ccurl_poller_wake(poller) }
}
