import PledgeFutures
import Synchronization

/// A time between two invalidations, of whatever and anywhere in the process.
///
/// A call that began in an earlier era than its key's last invalidation may have an answer from before it.
struct Era: Comparable, Sendable {
    /// The era before all invalidations.
    static let first = Era(number: 0)

    /// The present one.
    static var current: Era { Era(number: last.load(ordering: .acquiring)) }

    /// Begins another one; called while the lock of what is invalidated is held.
    static func begin() -> Era {
        Era(number: last.add(1, ordering: .acquiringAndReleasing).newValue)
    }

    static func < (left: Era, right: Era) -> Bool { left.number < right.number }

    private static let last = Atomic<Int>(0)

    let number: Int
}

/// A shared call, and what its answer depends on: the calls that it waits for, and the answers that memos beneath it
/// keep.
///
/// It is in the context of the call, where a memo or a coalescer finds it.
final class SharedCall: Sendable {
    /// A new one; nil while there is no memo in the process, so that none could find it.
    static func make() -> SharedCall? { hasMemos.load(ordering: .relaxed) ? SharedCall() : nil }

    /// Called before the first memo is used.
    static func expectMemos() { hasMemos.store(true, ordering: .relaxed) }

    private static let hasMemos = Atomic<Bool>(false)

    private struct Parts {
        var isInvalidated: [@Sendable () -> Bool] = []
        var calls: [SharedCall] = []
    }

    private let parts = Locked(Parts())

    private init() {}

    /// Adds an answer that the call depends on.
    ///
    /// - Parameter isInvalidated: Returns whether the answer has been invalidated since.
    func add(_ isInvalidated: @escaping @Sendable () -> Bool) {
        parts.withLock { $0.isInvalidated.append(isInvalidated) }
    }

    /// Adds a shared call that the call waits for.
    func add(_ call: SharedCall) { parts.withLock { $0.calls.append(call) } }

    /// Whether what it depends on has been invalidated since.
    var isOutdated: Bool {
        var (calls, seen) = ([self], Set<ObjectIdentifier>())
        while let call = calls.popLast() {
            guard seen.insert(ObjectIdentifier(call)).inserted else { continue }
            let parts = call.parts.withLock { $0 }
            // Keys are compared there: no lock is held.
            if parts.isInvalidated.contains(where: { $0() }) { return true }
            calls += parts.calls
        }
        return false
    }
}
