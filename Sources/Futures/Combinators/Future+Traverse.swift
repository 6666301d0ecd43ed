extension Future {
    /// Starts a future for each item, a limited number at a time.
    ///
    /// ```swift
    /// let products = Future.traverse(ids, maxConcurrent: 4) { id in loadProduct(id) }
    /// ```
    ///
    /// - Parameters:
    ///   - items: The items.
    ///   - maxConcurrent: How many may be pending at once. At least one; anything less is a
    ///     programming error and traps.
    ///   - transform: Starts the future of an item. Called in the order of the items, never twice at
    ///     the same time: first by the caller, then by the threads that settle the futures. If it
    ///     throws, the whole fails with that error.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    /// - Returns: The values, in the order of the items. At the first failure it fails likewise, gives
    ///   up what is pending and starts nothing more; nor does it when it is cancelled.
    public static func traverse<Item: Sendable, Element>(
        _ items: some Sequence<Item>, maxConcurrent: Int = .max,
        _ transform: @escaping @Sendable (Item) throws -> Future<Element>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<[Element]> where Value == [Element] {
        precondition(maxConcurrent > 0, "traverse needs maxConcurrent to be at least 1")
        let location = SourceLocation(fileID: fileID, line: line)
        let work = Traversal.Work(Array(items), transform)
        let traversal = Traversal(work, maxConcurrent: maxConcurrent, at: location)
        traversal.pump()
        return traversal
    }
}

/// An input of a traversal, which it holds.
private final class TraversalInput: InputWaiter, @unchecked Sendable {
    private let traversal: FutureNode

    init(of traversal: FutureNode) {
        self.traversal = traversal
        super.init(owner: traversal)
    }
}

/// The future of a traversal: starts what is next whenever an input has settled.
final class Traversal<Item: Sendable, Element: Sendable>: DerivedFuture<[Element]>,
    @unchecked Sendable
{
    /// What is to be done; let go as soon as nothing more will be started, since the closure may hold
    /// what the traversal waits for.
    final class Work: Sendable {
        let items: [Item]
        let transform: @Sendable (Item) throws -> Future<Element>

        init(_ items: [Item], _ transform: @escaping @Sendable (Item) throws -> Future<Element>) {
            self.items = items
            self.transform = transform
        }
    }

    private struct State {
        /// Nil once the last item has been handed out, or it is over.
        var work: Work?
        var isOver = false
        var started = 0
        var pending = 0
        /// Whether a thread is in `pump`.
        ///
        /// It goes on until nothing can be started, so that futures which settle at once are started
        /// in a loop, not by recursion.
        var isPumping = false
        /// In the order of the items.
        var inputs: [InputWaiter] = []
    }

    private let count: Int
    private let maxConcurrent: Int
    private let location: SourceLocation
    private let state: Locked<State>

    init(_ work: Work, maxConcurrent: Int, at location: SourceLocation) {
        count = work.items.count
        self.maxConcurrent = maxConcurrent
        self.location = location
        state = Locked(State(work: work))
        super.init(deliver: { _, _ in })
    }

    /// Starts as many futures as the limit allows, unless another thread is at it.
    func pump() {
        let isFirst = state.withLock { state in
            defer { state.isPumping = true }
            return !state.isPumping
        }
        guard isFirst else { return }
        while let (work, index) = nextItem() {
            do {
                begin(try work.transform(work.items[index]))
            } catch {
                end(with: Failure(error, thrownAt: location))
            }
        }
        let isComplete = state.withLock { $0.inputs.count == count && $0.pending == 0 }
        if isComplete { complete() }
    }

    /// The item to start next; none if the limit is reached, or all are started, or it is over.
    private func nextItem() -> (Work, Int)? {
        state.withLock { state in
            guard let work = state.work, state.pending < maxConcurrent, state.started < count
            else {
                state.isPumping = false
                return nil
            }
            state.started += 1
            if state.started == count { state.work = nil }
            return (work, state.started - 1)
        }
    }

    /// Waits for a future that has been started, unless it was cancelled meanwhile.
    private func begin(_ future: Future<Element>) {
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

    override func inputSettled(_ input: InputWaiter) -> Bool {
        if let failure = input.source?.failure {
            end(with: failure)
        } else {
            state.withLock { $0.pending -= 1 }
            pump()
        }
        return false
    }

    override func surrender(to departure: inout Departure) {
        let (work, inputs) = takeAll()
        if let work { departure.keep(work) }
        var taken = inputs
        departure.giveUp(&taken)
        super.surrender(to: &departure)
    }

    /// Nothing is started from here on.
    private func takeAll() -> (Work?, [InputWaiter]) {
        state.withLock { state in
            defer {
                state.inputs = []
                state.work = nil
                state.isOver = true
            }
            return (state.work, state.inputs)
        }
    }

    private func end(with failure: Failure) {
        guard claim() else { return }
        attachment = .failure(failure)
        var departure = Departure()
        let (work, inputs) = takeAll()
        // Nothing is released while claimed: a deinit of a user's might come back here.
        if let work { departure.keep(work) }
        var taken = inputs
        departure.giveUp(&taken)
        let list = publish(Word.failure)
        departure.walkRemaining()
        if list != 0 { distribute(list) }
        departure.conclude()
    }

    private func complete() {
        guard claim() else { return }
        let (work, inputs) = takeAll()
        storage = inputs.map { $0.value(of: Element.self) }
        finish(Word.value)
        withExtendedLifetime((work, inputs)) {}
    }
}
