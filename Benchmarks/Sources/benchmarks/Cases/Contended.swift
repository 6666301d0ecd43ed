import Foundation
import Futures
import Synchronization

extension Case {
    /// Two threads go through the same promises: one resolves what the other observes.
    static let contended = Case(
        name: "contended",
        counted: 0,
        ways: [
            Way(measuring: "Pledge") { count in
                let promises = (0..<count).map { _ in Promise<Int>() }
                return onTwoThreads(
                    { for promise in promises { promise.observe { keep($0) } } },
                    { for promise in promises { promise.resolve(with: 1) } }
                )
            },
            Way(measuring: "locked closures") { count in
                let cells = (0..<count).map { _ in LockedCell() }
                return onTwoThreads(
                    { for cell in cells { cell.observe { keep($0) } } },
                    { for cell in cells { cell.resolve(with: 1) } }
                )
            },
        ]
    )
}

/// Runs two bodies at once, begun together, and tells what both took.
func onTwoThreads(
    _ first: @escaping @Sendable () -> Void, _ second: @escaping @Sendable () -> Void
) -> Cost {
    let ready = ReadyCount()
    let done = DispatchSemaphore(value: 0)
    for body in [first, second] {
        Thread.detachNewThread {
            ready.arrive(andWaitFor: 3)
            body()
            done.signal()
        }
    }
    while ready.number < 2 { Thread.sleep(forTimeInterval: 0.000_01) }
    return Cost.of {
        ready.arrive(andWaitFor: 3)
        done.wait()
        done.wait()
    }
}

/// How many threads stand at the start.
private final class ReadyCount: Sendable {
    private let count = Atomic<Int>(0)

    var number: Int { count.load(ordering: .acquiring) }

    /// Spins, so that all begin within nanoseconds of each other.
    func arrive(andWaitFor all: Int) {
        count.add(1, ordering: .acquiringAndReleasing)
        while number < all {}
    }
}

/// The least that one would write by hand: a value, or the closure that waits for it.
private final class LockedCell: Sendable {
    private let state = Mutex<(value: Int?, waiting: (@Sendable (Int) -> Void)?)>((nil, nil))

    func observe(_ body: @escaping @Sendable (Int) -> Void) {
        let value = state.withLock { state in
            if state.value == nil { state.waiting = body }
            return state.value
        }
        if let value { body(value) }
    }

    func resolve(with value: Int) {
        let waiting = state.withLock { state in
            state.value = value
            return state.waiting
        }
        waiting?(value)
    }
}
