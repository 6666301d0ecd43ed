extension Future {
    /// Starts a future for each item, a limited number at a time.
    ///
    /// ```swift
    /// let products = Future.traverse(ids, maxConcurrent: 4) { id in loadProduct(id) }
    /// ```
    ///
    /// - Parameters:
    ///   - items: The items; the sequence may be endless. Each item is read when the future of the previous item is
    ///     started, so one item is always read ahead.
    ///   - maxConcurrent: The largest number of futures that are pending at once. Less than 1 is a programming
    ///     error and traps.
    ///   - transform: Starts the future of an item. Called in the order of the items, and never on two threads at the
    ///     same time: first on this thread, then on the threads that settle the futures, always in the call context in
    ///     which you called `traverse`. If it throws, the returned future fails with that error.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The values, in the order of the items. At the first failure, the returned future gives up what is
    ///   pending, starts nothing more, and then fails with the same error. If you cancel the returned future, it starts
    ///   nothing more either.
    public static func traverse<Item: Sendable, Element>(
        _ items: sending some Sequence<Item>, maxConcurrent: Int = .max,
        _ transform: @escaping @Sendable (Item) throws -> Future<Element>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<[Element]> where Value == [Element] {
        precondition(maxConcurrent > 0, "traverse needs maxConcurrent to be at least 1")
        let location = CodeLocation(fileID: fileID, line: line)
        let traversal = Traversal(
            TraversalWork(items, transform), maxConcurrent: maxConcurrent, at: location)
        traversal.pump()
        return traversal
    }
}

/// The items whose futures a traversal still has to start, and the closure that starts them.
///
/// The traversal releases this object as soon as nothing more will be started. The closure may hold a promise that the
/// traversal waits for. If the traversal kept the closure, such a promise would keep itself alive.
///
/// Only one thread at a time uses this object: the thread that runs `pump`.
private final class TraversalWork<Item: Sendable, Element: Sendable>: @unchecked Sendable {
    private let read: () -> Item?
    private let transform: @Sendable (Item) throws -> Future<Element>
    private let context = CallerContext()
    /// The item to start next.
    private var next: Item?

    init(
        _ items: some Sequence<Item>,
        _ transform: @escaping @Sendable (Item) throws -> Future<Element>
    ) {
        var iterator = items.makeIterator()
        read = { iterator.next() }
        self.transform = transform
        next = read()
    }

    /// True if there is nothing more to start.
    var isEmpty: Bool { next == nil }

    func start() throws -> Future<Element>? {
        guard let item = next else { return nil }
        next = read()
        return try context.run { try transform(item) }
    }
}

/// An input of a traversal, which keeps the traversal alive.
private final class TraversalInput: AggregateInput, @unchecked Sendable {
    private let traversal: FutureNode

    override init(of traversal: FutureNode) {
        self.traversal = traversal
        super.init(of: traversal)
    }
}

/// The future of a traversal, which starts the next item whenever an input has settled.
private final class Traversal<Item: Sendable, Element: Sendable>: DerivedFuture<[Element]>,
    @unchecked Sendable
{
    private struct State {
        /// Nil once all items have been started, or the traversal is over.
        var work: TraversalWork<Item, Element>?
        var isOver = false
        var pending = 0
        /// True while a thread runs `pump`.
        ///
        /// That thread continues until nothing more can be started. So if futures settle at once, the next ones are
        /// started in a loop, not by recursion.
        var isPumping = false
        /// The inputs, in the order of the items.
        var inputs: [AggregateInput] = []
    }

    private let maxConcurrent: Int
    private let location: CodeLocation
    private let state: Locked<State>

    init(_ work: TraversalWork<Item, Element>, maxConcurrent: Int, at location: CodeLocation) {
        self.maxConcurrent = maxConcurrent
        self.location = location
        state = Locked(State(work: work))
        super.init(deliver: { _, _ in })
    }

    /// Starts as many futures as the limit allows, unless another thread is doing so.
    func pump() {
        let isFirst = state.withLock { state in
            defer { state.isPumping = true }
            return !state.isPumping
        }
        guard isFirst else { return }
        while let work = workForRoom() {
            do {
                if let future = try work.start() { follow(future) }
            } catch {
                abort(with: Failure(error, thrownAt: location))
            }
            // The work is released outside the lock.
            if work.isEmpty { state.withLockThenRelease { $0.work.take() } }
        }
        complete()
    }

    /// The work, if another future may be started now; otherwise nil, and `pump` then ends.
    private func workForRoom() -> TraversalWork<Item, Element>? {
        state.withLock { state in
            if let work = state.work, state.pending < maxConcurrent { return work }
            state.isPumping = false
            return nil
        }
    }

    /// Waits for a future that was just started, or gives it up if the traversal is over.
    private func follow(_ future: Future<Element>) {
        let input = TraversalInput(of: self)
        let isWanted = state.withLock { state in
            if state.isOver { return false }
            state.inputs.append(input)
            state.pending += 1
            return true
        }
        if isWanted {
            future.enrollShared(input)
        } else {
            future.giveUpInterest()
        }
    }

    override func inputSettled(_ input: AggregateInput) -> Bool {
        if let failure = input.source?.failure {
            abort(with: failure)
        } else {
            state.withLock { $0.pending -= 1 }
            pump()
        }
        return false
    }

    override func dropWaits(into cancellation: inout Cancellation) {
        let (work, inputs) = endTraversal()
        cancellation.giveUp(inputs, of: self, releasing: work)
    }

    /// Ends the traversal, and returns its work and its inputs; the caller releases them while it holds no lock.
    private func endTraversal() -> (TraversalWork<Item, Element>?, [AggregateInput]) {
        state.withLock { state in
            defer { (state.work, state.inputs, state.isOver) = (nil, [], true) }
            return (state.work, state.inputs)
        }
    }

    override var inputsOfAggregate: [FutureNode] { state.withLock { $0.inputs } }

    override var origin: CodeLocation? { location }

    /// Settles once all items were started and all their futures have succeeded.
    private func complete() {
        let inputs = state.withLock { state -> [AggregateInput]? in
            if state.isOver || state.work != nil || state.pending > 0 { return nil }
            state.isOver = true
            defer { state.inputs = [] }
            return state.inputs
        }
        guard let inputs else { return }
        storage = inputs.map { $0.value(of: Element.self) }
        if !finishDerived() { storage = nil }
    }
}
