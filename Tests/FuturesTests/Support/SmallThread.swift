import Foundation

/// Runs a closure on a new thread with a stack of 512 KB, the smallest that the platforms allow, and returns
/// after the thread has ended.
func onSmallThread<Output: Sendable>(_ body: @escaping @Sendable () -> Output) -> Output {
    let done = DispatchSemaphore(value: 0)
    nonisolated(unsafe) var output: Output?
    let thread = Thread {
        output = body()
        done.signal()
    }
    thread.stackSize = 512 * 1024
    thread.start()
    done.wait()
    guard let output else { preconditionFailure("the thread has ended") }
    return output
}
