public import Pledge
import PledgeHTTPText
public import PledgeObservation

/// A network for tests: the test plays the server.
///
/// ```swift
/// let network = MockNetwork()
/// let loader = ProductLoader(networking: network.request)
/// let future = loader.loadProduct(withID: 7)
///
/// let call = try network.next()
/// #expect(call.endpoint == .product(withID: 7))
/// call.answer(with: .json(Product(id: 7, name: "iPad Pro")))
/// ```
///
/// ``send(_:)`` is the same network one level lower, below the middleware. There the test sees the headers that the
/// middleware has added.
///
/// The network does nothing by itself, needs no test framework, and blocks no thread. You can use it from any thread.
/// If the test releases a call unanswered, the call rejects with a ``MockError``, so that its waiters fail with a
/// reason. If the network is released, the calls that the test has not taken reject in the same way.
public final class MockNetwork: Sendable, HTTPTransport {
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

    /// A recording that answers the calls instead of the test.
    private let replay: (transport: ReplayTransport, base: URL?)?

    /// Creates a network without calls.
    public init() { replay = nil }

    /// Creates a network that a recording answers instead of the test.
    ///
    /// ```swift
    /// let network = MockNetwork(har: try HTTPArchive(contentsOf: file))
    /// let loader = ProductLoader(networking: network.request)
    /// ```
    ///
    /// ``received`` lists the calls, and `next()` never gets one. A call that the recording doesn't answer rejects with
    /// an error that shows the nearest recorded exchange.
    ///
    /// - Parameters:
    ///   - har: The recording.
    ///   - base: The base of endpoints that have none; with nil, the origin of the first recorded URL.
    ///   - matching: The parts of a request that must be as recorded.
    ///   - repeatsLast: When all entries for a request have been replayed, replays the last one again; otherwise such a
    ///     request fails.
    public init(
        har: HTTPArchive, base: URL? = nil,
        matching: ReplayTransport.Matching = ReplayTransport.Matching(), repeatsLast: Bool = true
    ) {
        let first = har.entries.first.map { AbsoluteURL.schemeAndAuthority(of: $0.request.url) }
        let origin = first.flatMap { $0.isEmpty ? nil : URL(string: $0) }
        replay = (
            ReplayTransport(har, matching: matching, repeatsLast: repeatsLast), base ?? origin
        )
    }

    /// Sends a call to the test: pass `network.request` as a `Networking`.
    ///
    /// - Parameter endpoint: The endpoint, with or without a base. If no transport would send such a request, the call
    ///   rejects with `Endpoint.Error` and doesn't arrive.
    /// - Returns: A future that settles when the test answers the call, on the test's thread.
    public func request(_ endpoint: Endpoint) -> Future<Data> {
        do { _ = try Endpoint.based(on: Endpoint.anyBase)(endpoint).validate() } catch {
            return Future(error: error)
        }
        if let replay {
            let base = replay.base ?? Endpoint.anyBase
            guard noteEndpoint(endpoint) else {
                return Future(error: MockError(unexpected: endpoint))
            }
            do {
                return replay.transport.send(try HTTPRequest(endpoint, base: base))
                    .map { try $0.acceptedBody(for: endpoint) }
            } catch { return Future(error: error) }
        }
        return CallContext.current.exchange(endpoint) {
            let promise = InternalPromise<Data>()
            enterCall(endpoint, nil, from: .ofNetworking(promise))
            return promise
        }
    }

    /// All requested endpoints in order, answered or not.
    public var received: [Endpoint] { state.withLock { $0.received } }

    /// The calls that wait for an answer, in order of arrival.
    ///
    /// Calls that were answered, cancelled or released are not included.
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

    /// Ends the use of the network, and checks that no call is left unanswered.
    ///
    /// A later call rejects at once with the code ``MockError/Code/unexpectedCall``.
    ///
    /// - Parameters:
    ///   - fileID: The file of the call, for a ``MockError``.
    ///   - filePath: The path of that file.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Throws: ``MockError`` with the code ``MockError/Code/unanswered``, which lists the calls that still wait for
    ///   an answer.
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

    /// Records a call that the recording answers; returns false if the test has finished.
    private func noteEndpoint(_ endpoint: Endpoint) -> Bool {
        state.withLock { state in
            state.received.append(endpoint)
            return !state.isFinished
        }
    }

    /// Records a call and passes it to the test; refuses it if the test has finished.
    func enterCall(_ endpoint: Endpoint, _ request: HTTPRequest?, from caller: MockCaller) {
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

    /// Gives a call to the first waiter, or keeps it until the test takes it.
    private func hand(over call: MockCall) {
        while true {
            let waiter = state.withLock { state -> InternalPromise<MockCall>? in
                guard state.waiting.isEmpty else { return state.waiting.removeFirst().promise }
                let place = state.arrived.firstIndex { $0.number > call.number }
                state.arrived.insert(call, at: place ?? state.arrived.endIndex)
                return nil
            }
            guard let waiter else { return }
            // If this waiter has just been cancelled, the next one gets the call.
            if waiter.resolve(with: call) { return }
        }
    }
}

extension MockNetwork: CustomStringConvertible {
    /// The number of calls received, and a list of those that wait for an answer.
    public var description: String {
        let waiting = pending
        let list = waiting.map { "\n  \($0)" }.joined()
        return "\(received.count) calls received, \(waiting.count) unanswered" + list
    }
}

extension MockNetwork {
    /// Takes the first call that has not been taken.
    ///
    /// - Parameters:
    ///   - fileID: The file of the call, for a ``MockError``.
    ///   - filePath: The path of that file.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Returns: The call, for the test to answer.
    /// - Throws: ``MockError`` with the code ``MockError/Code/noCall`` if there is none.
    public func next(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) throws -> MockCall {
        if let call = takeArrived() { return call }
        throw MockError(
            noCallAfter: received, isInVirtualTime: VirtualScope.current != nil,
            at: TestSourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
    }

    /// Takes the next call, and waits for it if none has arrived.
    ///
    /// Several waiters get calls in the order they began to wait.
    ///
    /// - Parameters:
    ///   - limit: The longest wait. Keep it long: if thousands of tests run at once, a task may wait minutes for its
    ///     turn.
    ///   - scheduler: The clock of the limit. In virtual time, real time means the test's own clock.
    ///   - fileID: The file of the call, for a ``MockError``.
    ///   - filePath: The path of that file.
    ///   - line: The line of the call.
    ///   - column: The column of the call.
    /// - Returns: The call, for the test to answer.
    /// - Throws: ``MockError`` with the code ``MockError/Code/noCall`` when the limit is reached, and
    ///   `CancellationError` when the task is cancelled.
    public func next(
        within limit: Duration = .seconds(300),
        on scheduler: some FutureScheduler = LiveScheduler.live,
        fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) async throws -> MockCall {
        let place = TestSourceLocation(
            fileID: fileID, filePath: filePath, line: line, column: column)
        let clock = VirtualScope.clock(insteadOf: scheduler)
        return try await upcoming(within: limit, on: clock, askedAt: place).get()
    }

    private func takeArrived() -> MockCall? {
        state.withLock { state in
            state.arrived.isEmpty ? nil : state.arrived.removeFirst()
        }
    }

    private func upcoming(
        within limit: Duration,
        on scheduler: any FutureScheduler,
        askedAt place: TestSourceLocation
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
            promise.reject(
                with: MockError(
                    noCallAfter: self?.received ?? [], within: limit,
                    isInVirtualTime: scheduler is VirtualClock, at: place))
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

extension MockNetwork {
    /// Sends a request to the test, one level below ``request(_:)``: pass `network.send` as an `HTTPService`.
    ///
    /// ```swift
    /// let service = stack(.defaultHeaders(["X-App": "1"]), over: network.send)
    /// let networking = makeNetworking(over: service, base: server)
    /// ```
    ///
    /// The test sees the request after all middleware above the network. The test's answers go back through the same
    /// middleware, whatever their status.
    ///
    /// - Parameter request: The request. If no transport would send it, the call rejects with `Endpoint.Error` and
    ///   doesn't arrive.
    /// - Returns: A future that settles when the test answers the call, on the test's thread.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        do { try request.validate() } catch { return Future(error: error) }
        if let replay {
            let endpoint = Endpoint(sending: request)
            return noteEndpoint(endpoint)
                ? replay.transport.send(request) : Future(error: MockError(unexpected: endpoint))
        }
        return CallContext.current.exchange(request) {
            let promise = InternalPromise<HTTPResponse>()
            enterCall(Endpoint(sending: request), request, from: .ofService(promise))
            return promise
        }
    }
}

extension Endpoint {
    /// An endpoint that would send the same request, if the body is in memory.
    fileprivate init(sending request: HTTPRequest) {
        self.init(separating: request.url)
        method = request.method
        headers = request.effectiveHeaders
        if case .data(let data) = request.body.content {
            body = .data(data, contentType: request.body.contentType ?? "")
        }
    }
}
