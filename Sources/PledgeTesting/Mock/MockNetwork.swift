public import Pledge

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A network for tests in which the test plays the server.
///
/// ```swift
/// let network = MockNetwork()
/// let loader = ProductLoader(networking: network.request)
/// let future = loader.loadProduct(withID: 7)
///
/// let call = try network.next()
/// #expect(call.endpoint == .product(withID: 7))
/// try call.answer(with: .json(Product(id: 7, name: "iPad Pro")))
/// ```
///
/// It does nothing by itself, needs no test framework, and blocks no thread. All of it may be used
/// from any thread. A call that the test lets go of unanswered rejects with a ``MockError``, so
/// that what waits for it fails with a reason; so do the calls that nobody took when the network
/// is released.
public final class MockNetwork: Sendable {
    private struct State {
        var received: [Endpoint] = []
        var all: [WeakCall] = []
        var arrived: [MockCall] = []
        var waiting: [(number: Int, promise: InternalPromise<MockCall>)] = []
        var waitCount = 0
        var isFinished = false
    }

    private struct WeakCall {
        weak var call: MockCall?
    }

    private let state = Locked(State())

    /// Makes a network that has received nothing.
    public init() {}

    /// The network itself: pass `network.request` wherever a `Networking` is wanted.
    ///
    /// - Parameter endpoint: What is asked for.
    /// - Returns: A future that settles when the test answers the call, on the test's thread.
    public func request(_ endpoint: Endpoint) -> Future<Data> {
        let promise = InternalPromise<Data>()
        let call = state.withLock { state -> MockCall? in
            state.received.append(endpoint)
            if state.isFinished { return nil }
            let call = MockCall(state.received.count, endpoint, promise)
            state.all.append(WeakCall(call: call))
            return call
        }
        if let call {
            hand(over: call)
        } else {
            promise.reject(with: MockError(unexpected: endpoint))
        }
        return promise
    }

    /// Takes the call that arrived first of those not yet taken.
    ///
    /// - Returns: The call, which the test answers when it likes.
    /// - Throws: ``MockError`` with the code ``MockError/Code/noCall`` where none is there.
    public func next() throws -> MockCall {
        guard let call = takeArrived() else { throw MockError(noCallAfter: received) }
        return call
    }

    /// Takes the next call, and waits for it where none is there yet.
    ///
    /// Several who wait are served in the order in which they came.
    ///
    /// - Parameters:
    ///   - limit: How long to wait before giving up.
    ///   - scheduler: Whose time the limit is in.
    /// - Returns: The call, which the test answers when it likes.
    /// - Throws: ``MockError`` with the code ``MockError/Code/noCall`` when the limit is reached,
    ///   `CancellationError` when the Task is cancelled.
    public func next(
        within limit: Duration = .seconds(60),
        on scheduler: some Scheduler = LiveScheduler.live
    ) async throws -> MockCall {
        try await upcoming(within: limit, on: scheduler).value
    }

    /// All endpoints that were asked for, in order, answered or not.
    public var received: [Endpoint] { state.withLock { $0.received } }

    /// The calls that wait for an answer, in order of arrival.
    ///
    /// A call that was answered, cancelled, or let go of is not among them.
    public var pending: [PendingCall] {
        let (calls, arrived) = state.withLock { state in
            (state.all.compactMap(\.call), Set(state.arrived.map(\.number)))
        }
        return calls.filter(\.isPending).map { call in
            PendingCall(
                number: call.number,
                endpoint: call.endpoint,
                isTaken: !arrived.contains(call.number)
            )
        }
    }

    /// Says that the test expects no further call, and checks that none is left unanswered.
    ///
    /// From then on a call rejects at once with the code ``MockError/Code/unexpectedCall``.
    ///
    /// - Throws: ``MockError`` with the code ``MockError/Code/unanswered``, which lists the calls
    ///   that still wait for an answer.
    public func finish() throws {
        state.withLock { $0.isFinished = true }
        let pending = pending
        if !pending.isEmpty { throw MockError(unanswered: pending) }
    }

    private func takeArrived() -> MockCall? {
        state.withLock { state in
            state.arrived.isEmpty ? nil : state.arrived.removeFirst()
        }
    }

    /// Gives a call to who has waited longest, or keeps it until somebody takes it.
    private func hand(over call: MockCall) {
        while true {
            let waiter = state.withLock { state -> InternalPromise<MockCall>? in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst().promise }
                let place = state.arrived.firstIndex { $0.number > call.number }
                state.arrived.insert(call, at: place ?? state.arrived.endIndex)
                return nil
            }
            guard let waiter else { return }
            // One who gave up just now leaves the call to the next.
            if waiter.resolve(with: call) { return }
        }
    }

    private func upcoming(
        within limit: Duration,
        on scheduler: some Scheduler
    ) -> Future<MockCall> {
        let promise = InternalPromise<MockCall>()
        let (call, number) = state.withLock { state -> (MockCall?, Int) in
            state.waitCount += 1
            if !state.arrived.isEmpty { return (state.arrived.removeFirst(), state.waitCount) }
            state.waiting.append((state.waitCount, promise))
            return (nil, state.waitCount)
        }
        if let call { return Future(value: call) }
        let timer = scheduler.schedule(after: limit) { [weak self, promise] in
            self?.stopWaiting(number)
            promise.reject(with: MockError(noCallAfter: self?.received ?? [], within: limit))
        }
        promise.onCancel { [weak self] in
            self?.stopWaiting(number)
            timer.cancel()
        }
        return promise.always { timer.cancel() }
    }

    private func stopWaiting(_ number: Int) {
        state.withLock { state in state.waiting.removeAll { $0.number == number } }
    }
}

extension MockNetwork: CustomStringConvertible {
    /// How many calls were received, and which wait for an answer.
    public var description: String {
        let waiting = pending
        let list = waiting.map { "\n  \($0)" }.joined()
        return "\(received.count) calls received, \(waiting.count) unanswered" + list
    }
}
