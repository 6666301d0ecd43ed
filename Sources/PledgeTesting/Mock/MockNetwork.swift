public import Pledge

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
/// ``send(_:)`` is the same one level lower, under the middleware: there the test sees the headers that
/// middleware has added.
///
/// It does nothing by itself, needs no test framework, and blocks no thread. All of it may be used
/// from any thread. A call that the test releases unanswered rejects with a ``MockError``, so that its
/// waiters fail with a reason. When the network is released, the calls that the test did not take reject
/// likewise.
public final class MockNetwork: Sendable {
    struct State {
        var received: [Endpoint] = []
        var all: [WeakCall] = []
        var arrived: [MockCall] = []
        var waiting: [(number: Int, promise: InternalPromise<MockCall>)] = []
        var waitCount = 0
        var isFinished = false
    }

    struct WeakCall {
        weak var call: MockCall?
    }

    let state = Locked(State())

    /// Makes a network that has received nothing.
    public init() {}

    /// The network itself: pass `network.request` as a `Networking`.
    ///
    /// - Parameter endpoint: The endpoint; it needs no base. An endpoint that no transport would send rejects
    ///   with `Endpoint.Error`, and does not arrive.
    /// - Returns: A future that settles when the test answers the call, on the test's thread.
    public func request(_ endpoint: Endpoint) -> Future<Data> {
        do { _ = try Endpoint.based(on: Endpoint.anyBase)(endpoint).validate() } catch {
            return Future(error: error)
        }
        return CallContext.current.exchange(endpoint) {
            let promise = InternalPromise<Data>()
            enter(endpoint, nil, from: .ofNetworking(promise))
            return promise
        }
    }

    /// All requested endpoints, in order, answered or not.
    public var received: [Endpoint] { state.withLock { $0.received } }

    /// The calls that wait for an answer, in order of arrival.
    ///
    /// A call that was answered, cancelled, or released is not among them.
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

    /// Ends the use of the network: checks that no call is left unanswered, and expects no further call.
    ///
    /// From then on, a call rejects at once with the code ``MockError/Code/unexpectedCall``.
    ///
    /// - Parameters:
    ///   - fileID: The file of the call, for a ``MockError``.
    ///   - filePath: The path of that file.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Throws: ``MockError`` with the code ``MockError/Code/unanswered``, which lists the calls
    ///   that still wait for an answer.
    public func finish(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) throws {
        state.withLock { $0.isFinished = true }
        let pending = pending
        if pending.isEmpty { return }
        throw MockError(
            unanswered: pending,
            at: TestSourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Notes a call, and passes it to the test, or refuses it after the end.
    func enter(_ endpoint: Endpoint, _ request: HTTPRequest?, from caller: MockCaller) {
        let call = state.withLock { state -> MockCall? in
            state.received.append(endpoint)
            if state.isFinished { return nil }
            let call = MockCall(state.received.count, endpoint, request, from: caller)
            state.all.append(WeakCall(call: call))
            return call
        }
        if let call {
            hand(over: call)
        } else {
            caller.reject(with: MockError(unexpected: endpoint))
        }
    }

    /// Passes a call to the first waiter, or keeps it until it is taken.
    private func hand(over call: MockCall) {
        while true {
            let waiter = state.withLock { state -> InternalPromise<MockCall>? in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst().promise }
                let place = state.arrived.firstIndex { $0.number > call.number }
                state.arrived.insert(call, at: place ?? state.arrived.endIndex)
                return nil
            }
            guard let waiter else { return }
            // If a waiter has just given up, the next one gets the call.
            if waiter.resolve(with: call) { return }
        }
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
