internal import Foundation

/// Runs a closure on several threads at once, and returns when all have ended.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) {
    let group = DispatchGroup()
    let start = DispatchSemaphore(value: 0)
    for index in 0..<count {
        group.enter()
        Thread {
            start.wait()
            body(index)
            group.leave()
        }.start()
    }
    for _ in 0..<count { start.signal() }
    group.wait()
}

/// Runs a closure on a new thread with a stack of 512 KB, the smallest that the platforms allow, and returns
/// after the thread has ended.
package func onSmallThread<Output: Sendable>(_ body: @escaping @Sendable () -> Output) -> Output {
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
