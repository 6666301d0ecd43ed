import Dispatch
import Foundation

/// A thread on which one server waits for its sockets.
///
/// Dispatch has some 250 threads for all queues of a process together. A server that waited on one of them
/// would occupy it for as long as it runs. Tests that run in parallel have more servers than that, and then
/// no code that needs a queue would make progress.
final class LoopbackThread: Sendable {
    private let end = DispatchGroup()

    /// Starts a thread that runs a closure, and ends with it.
    init(_ body: @escaping @Sendable () -> Void) {
        end.enter()
        Thread.detachNewThread { [end] in
            Thread.current.threadDictionary[Self.mark] = end
            body()
            end.leave()
        }
    }

    /// Waits for the thread's end, on another thread.
    func join() {
        let here = Thread.current.threadDictionary[Self.mark] as? DispatchGroup
        precondition(here !== end, "a thread cannot wait for its own end")
        end.wait()
    }

    private static let mark = "Pledge.LoopbackThread"
}
