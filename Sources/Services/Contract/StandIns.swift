import PledgeFutures
import Synchronization

/// Stored answers that can stand in for a service's answer when time runs out.
///
/// While a cache waits for the service, it adds a function that ends this wait. A policy that limits the time of the
/// call, or of an attempt, calls the functions with its error before it acts on the error itself.
///
/// You can use it from any thread.
package final class StandIns: Sendable {
    /// Ends a wait if a stored answer can stand in after an error, and returns whether it has ended the wait.
    package typealias End = @Sendable (any Error) -> Bool

    private struct State {
        var ends: [Int: End] = [:]
        var added = 0
        /// The last error; a wait that begins later needs to know it too.
        var error: (any Error)?
    }

    private let state = Locked(State())
    private static let areInUse = Atomic(false)

    package init() {}

    /// Creates the stand-ins of a call with a deadline; nil while the process has no cache, so that its calls don't pay.
    static func make() -> StandIns? { areInUse.load(ordering: .relaxed) ? StandIns() : nil }

    /// Prepares the process for caches, whose stored answers may stand in.
    package static func expectCaches() { areInUse.store(true, ordering: .relaxed) }

    /// Adds a function that ends a wait; calls it at once if there has been an error before.
    ///
    /// - Returns: The function's number, for ``remove(_:)``.
    package func add(_ end: @escaping End) -> Int {
        let (number, error) = state.withLock { state in
            state.added += 1
            state.ends[state.added] = end
            return (state.added, state.error)
        }
        if let error { _ = end(error) }
        return number
    }

    /// Removes the function of a wait that has ended.
    package func remove(_ number: Int) {
        state.withLockThenRelease { $0.ends.removeValue(forKey: number) }
    }

    /// Ends the waits for which a stored answer can stand in after an error.
    ///
    /// - Returns: True if a wait was ended.
    @discardableResult
    package func use(after error: any Error) -> Bool {
        let ends = state.withLock { state in
            state.error = error
            return state.ends.sorted { $0.key < $1.key }.map(\.value)
        }
        return ends.reduce(false) { hasEnded, end in end(error) || hasEnded }
    }
}
