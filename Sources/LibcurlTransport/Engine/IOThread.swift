import CPledgeCurl
import Foundation

/// A thread that waits for sockets.
enum IOThread {
    /// Starts a thread that runs a closure, and ends with it.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread {
            // Foundation names a thread only after `start` has returned to the thread that called it.
            ccurl_name_thread("Pledge.Curl")
            body()
        }
        thread.qualityOfService = .userInitiated
        thread.start()
    }
}
