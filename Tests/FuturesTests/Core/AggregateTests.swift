import PledgeFutures
import TestSupport
import Testing

/// An aggregate retains itself while an input may still use it, and no longer.
@Suite(.oneAtATime) struct AggregateTests {
    /// An aggregate of two futures, which is added to the references.
    private typealias Shape = @Sendable ([Future<Int>], WeakReferences) -> Future<Void>

    private static let shapes: [(name: String, make: Shape)] = [
        ("all", { $1.add(Future.all($0)).map { _ in } }),
        ("allSettled", { $1.add(Future.allSettled($0)).map { _ in } }),
        ("any", { $1.add(Future.any($0)).map { _ in } }),
        ("race", { $1.add(Future.race($0)).map { _ in } }),
        ("zip", { $1.add(zip($0[0], $0[1])).map { _ in } }),
        ("traverse", { $1.add(Future.traverse($0) { $0 }).map { _ in } }),
    ]

    /// The end of an input.
    private enum End: CaseIterable {
        case resolved, rejected, cancelled, released

        func happen(to promise: inout Promise<Int>?) {
            switch self {
            case .resolved: promise?.resolve(with: 1)
            case .rejected: promise?.reject(with: TestError())
            case .cancelled: promise?.cancel()
            case .released: promise = nil
            }
        }
    }

    @Test(arguments: [false, true])
    func whatGoesOnKeepsNeitherTheOthersResultsNorTheAggregate(isEarly: Bool) {
        let (census, references) = (Census(), WeakReferences())
        let (long, cancelled) = (Promise<Tracked>(), TestLog<Int>())
        long.onCancel { cancelled.append(1) }
        for number in 0..<100 {
            let quick = Promise<Tracked>()
            let end = {
                let result = Tracked(census)
                _ = number % 2 == 0 ? quick.resolve(with: result) : quick.reject(with: result)
            }
            if isEarly { end() }
            _ = references.add(Future.race([long, quick], others: .keptGoing))
            _ = references.add(Future.all([long, quick], others: .keptGoing))
            if !isEarly { end() }
        }
        // `all` waits for the second input, if the first was a success.
        #expect(census.living == 50 && references.living == 50)
        long.observe { _ in }.cancel()
        #expect(!long.isSettled && cancelled.elements.isEmpty, "their interest is kept")
        #expect(long.resolve(with: Tracked(census)))
        #expect(references.living == 0 && census.living == 1)
    }

    /// Every combination of: the ends of both inputs, the first before or after the aggregate is made, with
    /// and without a cancellation in between.
    @Test func anAggregateIsFreedWithItsLastInput() {
        for (name, make) in Self.shapes {
            for first in End.allCases {
                for second in End.allCases {
                    for choice in 0..<4 {
                        check(
                            "\(name), \(first), \(second), \(choice)", make, first, second,
                            isEarly: choice & 1 != 0 && first != .released,
                            isCancelled: choice & 2 != 0)
                    }
                }
            }
        }
    }

    private func check(
        _ name: String, _ make: Shape, _ first: End, _ second: End, isEarly: Bool, isCancelled: Bool
    ) {
        let (references, order) = (WeakReferences(), TestLog<Int>())
        var (one, other): (Promise<Int>?, Promise<Int>?) = (Promise(), Promise())
        if isEarly { first.happen(to: &one) }
        var future: Future<Void>? = make([one, other].compactMap(\.self), references)
        future?.observe { _ in order.append(1) }
        if !isEarly { first.happen(to: &one) }
        if isCancelled { future?.cancel() }
        future = nil
        second.happen(to: &other)
        #expect(references.living == 0, "\(name)")
        #expect(order.elements == [1], "\(name)")
    }

    /// Three threads, one for each input and one that cancels: exactly one of them releases the aggregate.
    @Test func anAggregateIsFreedOnceWhicheverThreadIsLast() {
        let batch = 2_000
        for (name, make) in Self.shapes {
            let promises = (0..<batch).map { _ in (Promise<Int>(), Promise<Int>()) }
            let references = WeakReferences()
            var futures = promises.map { make([$0, $1], references) }
            onThreads(3) { [futures] thread in
                for index in 0..<batch {
                    switch thread {
                    case 0: promises[index].0.resolve(with: 1)
                    case 1: promises[index].1.reject(with: TestError())
                    default: futures[index].cancel()
                    }
                }
            }
            #expect(futures.allSatisfy { $0.result != nil }, "\(name)")
            futures = []
            #expect(references.living == 0, "\(name)")
        }
    }
}
