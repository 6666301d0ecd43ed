import PledgeFutures
import Synchronization
import TestSupport
import Testing

/// A weak reference to a turn of a loop is loaded while the turn is removed from the chain.
@Suite(.oneAtATime) struct WeakReferenceTests {
    private struct Turn: @unchecked Sendable { weak var future: Future<Int>? }

    @Test func aTurnBroughtBackIsUsable() {
        let turns = Locked<[Turn]>([])
        let step = Locked<Promise<Int>?>(nil)
        let isOver = Atomic<Bool>(false)
        @Sendable func turn(_ left: Int) -> Future<Int> {
            if left == 0 { return Future(value: 42) }
            let promise = Promise<Int>()
            step.withLock { $0 = promise }
            let future = promise.flatMap { _ in turn(left - 1) }
            let reference = Turn(future: future)
            turns.withLock { $0.append(reference) }
            return future
        }
        let end = turn(3_000)
        onThreads(2) { index in
            if index == 0 {
                while let promise = step.withLock({ step in
                    defer { step = nil }
                    return step
                }) {
                    promise.resolve(with: 0)
                }
                isOver.store(true, ordering: .releasing)
            } else {
                var observed = 0
                while !isOver.load(ordering: .acquiring), observed < 10_000 {
                    // The last turn but one is about to be removed.
                    let turn = turns.withLock { $0.suffix(3).randomElement() }
                    guard let future = turn?.future else { continue }
                    future.observe { _ in }
                    observed += 1
                }
            }
        }
        #expect(end.valueNow == 42)
    }
}
