import PledgeFutures
import Synchronization

extension Case {
    /// Two threads that use the same promises: one resolves what the other observes.
    static let contended = Case(
        name: "contended",
        counted: 0,
        ways: [
            Way(contending: "Pledge") { count in
                let promises = scattered(count) { Promise<Int>() }
                return TwoThreads(
                    first: { for promise in promises { promise.observe { keep($0) } } },
                    second: { for promise in promises { promise.resolve(with: 1) } }
                )
            },
            Way(contending: "locked closures") { count in
                let cells = scattered(count) { LockedCell() }
                return TwoThreads(
                    first: { for cell in cells { cell.observe { keep($0) } } },
                    second: { for cell in cells { cell.resolve(with: 1) } }
                )
            },
        ]
    )
}

/// The least code that you would write by hand: a value, or the closure that waits for it.
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
