import Foundation

/// Starts a thread that only sleeps.
///
/// The C library leaves out atomic instructions in a process of one thread, which an app never is.
func startSecondThread() {
    Thread.detachNewThread {
        while true { Thread.sleep(forTimeInterval: 3_600) }
    }
}
