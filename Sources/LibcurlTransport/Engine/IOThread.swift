import Foundation

/// A thread that waits for sockets.
enum IOThread {
    /// Starts a thread that runs a closure, and ends with it.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = "Pledge.CurlTransport"
        thread.qualityOfService = .userInitiated
        thread.start()
    }
}
