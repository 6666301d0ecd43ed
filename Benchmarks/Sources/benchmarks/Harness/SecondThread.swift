import Foundation

/// Starts a thread that only sleeps.
///
/// The C library avoids atomic instructions in a process with one thread, which an app never is.
func startSecondThread() {
    Thread.detachNewThread {
        while true { Thread.sleep(forTimeInterval: 3_600) }
    }
}
