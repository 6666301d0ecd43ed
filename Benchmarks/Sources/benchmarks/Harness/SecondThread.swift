import Foundation

/// Starts a thread that only sleeps.
///
/// The C library avoids atomic instructions in a process with only one thread, but an app always has more.
func startSecondThread() {
    Thread.detachNewThread {
        while true { Thread.sleep(forTimeInterval: 3_600) }
    }
}
