import Foundation

/// A thread that waits for sockets.
enum IOThread {
    /// Starts a thread that runs a closure, and ends with it.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread {
            // On Linux only a thread that runs has a name, of at most 15 bytes.
            Thread.current.name = "Pledge.Curl"
            body()
        }
        thread.qualityOfService = .userInitiated
        thread.start()
    }
}
