import Synchronization

/// Counts its calls, from any thread.
final class Counter: Sendable {
    private let calls = Atomic(0)

    var count: Int { calls.load(ordering: .relaxed) }

    @discardableResult
    func increment() -> Int {
        calls.add(1, ordering: .relaxed).newValue
    }
}
