import Synchronization
import TestSupport
import Testing

@testable import PledgeFutures

/// Links are found at an offset from the beginning of the object: the offset must be correct whatever value
/// is stored before them.
@Suite struct LinksTests {
    @Test func theLinksOfAFutureAreWhereTheyAreStored() {
        check(Void.self)
        check(UInt8.self)
        check(Int.self)
        check(String.self)
        check((any Error).self)
        check([Int].self)
        check(Odd.self)
        check(SIMD16<Double>.self)
        check(Large.self)
    }

    @Test func valuesOfAnySizeLeaveTheLinksAlone() throws {
        try pass(UInt8(7))
        try pass(7)
        try pass("seven, and long enough not to lie in the value itself")
        try pass([1, 2, 3])
        try pass(Odd(large: 1, small: 2))
        try pass(SIMD16<Double>(repeating: 7))
        try pass(Large(first: SIMD64(repeating: 1), last: SIMD64(repeating: 2)))
    }

    @Test func aFutureThatWaitsForNothingHasNoLinks() {
        #expect(Promise<Int>().isRoot)
        #expect(Future(value: 1).isRoot)
        #expect(Future<Int>(error: CancellationError()).isRoot)
        #expect(!Promise<Int>().map { $0 }.isRoot)
        #expect(!Waiter(deliver: { _, _ in }).isRoot)
    }

    @Test func theLinksOfAWaiterThatIsNoFutureAreWhereTheyAreStored() {
        let waiter = Waiter(deliver: { _, _ in })
        compare(waiter, to: { waiter.storedLinks }, writing: { waiter.storedLinks = $0 })
    }

    private func check<Value: Sendable>(_ type: Value.Type) {
        let future = DerivedFuture<Value>(deliver: { _, _ in })
        #expect(!future.isRoot)
        compare(future, to: { future.storedLinks }, writing: { future.storedLinks = $0 })
        #expect(future.storage == nil)
        #expect(future.result == nil)
    }

    /// Writes links in one way, and reads them in the other.
    private func compare(
        _ waiter: FutureNode, to stored: () -> Links, writing store: (Links) -> Void
    ) {
        let (older, newer) = (Waiter(deliver: { _, _ in }), Waiter(deliver: { _, _ in }))
        let upstream = Promise<Int>()
        waiter.next = .passUnretained(older)
        waiter.previous = .passUnretained(newer)
        waiter.upstream = .passUnretained(upstream)
        let calls = Locked(0)
        waiter.deliver = { _, _ in calls.withLock { $0 += 1 } }

        let links = stored()
        #expect(links.next?.toOpaque() == Unmanaged.passUnretained(older).toOpaque())
        #expect(links.previous?.toOpaque() == Unmanaged.passUnretained(newer).toOpaque())
        #expect(links.upstream?.toOpaque() == Unmanaged.passUnretained(upstream).toOpaque())
        links.deliver(waiter, upstream)
        #expect(calls.withLock { $0 } == 1)

        store(Links(deliver: { _, _ in calls.withLock { $0 += 10 } }))
        #expect(waiter.next == nil)
        #expect(waiter.previous == nil)
        #expect(waiter.upstream == nil)
        waiter.deliver(waiter, upstream)
        #expect(calls.withLock { $0 } == 11)
        withExtendedLifetime((older, newer)) {}
    }

    /// Passes a value down a tree of futures, of which some give up.
    private func pass<Value: Sendable & Equatable>(_ value: Value) throws {
        let promise = Promise<Value>()
        let branches = (0..<4).map { _ in promise.map { $0 }.flatMap { Future(value: $0) } }
        branches[1].cancel()
        branches[3].cancel()
        promise.resolve(with: value)
        #expect(try branches[0].result?.get() == value)
        #expect(try branches[2].result?.get() == value)
        #expect(throws: CancellationError.self) { try branches[1].result?.get() }
        #expect(throws: CancellationError.self) { try branches[3].result?.get() }
    }

    /// A value that ends at an odd offset.
    private struct Odd: Equatable, Sendable {
        var large: UInt64
        var small: UInt8
    }

    private struct Large: Equatable, Sendable {
        var first: SIMD64<UInt64>
        var last: SIMD64<UInt64>
    }
}

/// A weak reference to a turn of a loop is loaded while the turn is removed from the chain.
@Suite(.oneAtATime) struct WeakReferenceTests {
    private struct Turn: @unchecked Sendable { weak var future: Future<Int>? }

    @Test func aFutureOfALoopThatAWeakReferenceBringsBackIsUsable() {
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
