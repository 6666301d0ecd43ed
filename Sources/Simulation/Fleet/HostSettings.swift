import PledgeFutures
public import PledgeHTTPMessages
public import PledgeServices

/// The behaviour of a simulated host.
///
/// ```swift
/// var database = HostSettings(serviceTime: .exponential(mean: .milliseconds(10)))
/// database.workers = 3
/// database.queueLimit = 1_000
/// ```
public struct HostSettings: Sendable {
    /// The order in which waiting calls begin.
    public enum QueueOrder: Sendable, Hashable {
        /// The call that has waited longest is next.
        case firstInFirstOut
        /// The call that arrived last is next.
        case lastInFirstOut
    }

    /// The host's name, for reports and for requests.
    ///
    /// A host named "database" answers `http://database.fleet.test/…`, and one named "api.shop.com" answers
    /// `https://api.shop.com/…`. With nil, the host is named by its number: "host 0". If two hosts have the same name,
    /// running the scenario traps.
    public var name: String?

    /// Makes the response to an HTTP request, after the service time; nil for a 200 without a body.
    ///
    /// ```swift
    /// host.answer = { request in
    ///     HTTPResponse(status: 200, body: Data(#"{"path":"\(request.url.path)"}"#.utf8))
    /// }
    /// ```
    ///
    /// The closure runs in the simulation, when the answer reaches the caller. It must depend only on the request.
    /// Afterwards the simulation sets the response's `request`, and the response's `url` if that is nil. If the host
    /// fails, the closure isn't called, and the response has a status such as 503.
    public var answer: (@Sendable (HTTPRequest) -> HTTPResponse)?

    /// The number of calls that the host works on at once.
    ///
    /// With less than 1, running the scenario traps.
    public var workers = 1

    /// The number of calls that may wait for a worker.
    ///
    /// Further calls are refused. With less than 0, running the scenario traps.
    public var queueLimit = Int.max

    /// The order in which waiting calls begin.
    public var queueOrder = QueueOrder.firstInFirstOut

    /// The time that a worker takes for a call.
    public var serviceTime: Distribution

    /// The time that each message takes, on the way to the host and on the way back.
    public var latency = Distribution.constant(.zero)

    /// The share of calls that fail after their service time, from 0 to 1.
    public var failureRate = 0.0

    /// The share of messages that are lost on the way to the host or on the way back, from 0 to 1.
    ///
    /// If either message of a call is lost, the call gets no answer.
    public var lossRate = 0.0

    /// The time after which a refused call may be repeated: the Retry-After of a 503.
    ///
    /// Nil leaves the header out.
    public var retryAfter: Duration?

    /// True if calls tell the host their deadlines.
    ///
    /// If a call's deadline has passed, the host doesn't begin the call, and fails it with
    /// ``SimulatedFailure/Code/deadlinePassed``. If the host calls another host on behalf of a call, it passes on the
    /// call's deadline.
    public var knowsDeadlines = false

    /// True if the host goes on working on calls that their callers have cancelled, as most servers do.
    ///
    /// If false, the host stops such a call and frees the call's worker at once. A cancelled call in the queue never
    /// begins.
    public var finishesAbandonedCalls = true

    /// True if a worker waits for the host's own calls to other hosts, as in a server with a thread per call.
    ///
    /// These are the calls that ``calls(_:)`` makes.
    public var holdsWorkerWhileCalling = true

    /// The time for which the host is slow after a restart, and the slowdown factor at the beginning of that time.
    ///
    /// The factor falls evenly to 1 until the end of that time.
    public var warmUp: (time: Duration, factor: Double) = (.zero, 1)

    /// Creates the stack by which the host calls other hosts; nil without ``calls(_:)``.
    private(set) var makeDownstream:
        (@Sendable (SimulatedWorld) -> @Sendable (SimulatedRequest) -> Future<Void>)?

    /// Creates the settings of a host with one worker.
    ///
    /// - Parameter serviceTime: The time that a worker takes for a call.
    public init(serviceTime: Distribution) { self.serviceTime = serviceTime }
}

extension HostSettings {
    /// Makes the host call other hosts, through its own stack, between the service time and the answer.
    ///
    /// ```swift
    /// var shop = HostSettings(serviceTime: .constant(.milliseconds(5)))
    /// shop.calls { world in
    ///     let database = stack(.retry(on: world.scheduler), over: world.fleet.send)
    ///     return { call in database(SimulatedRequest(number: call.number, host: 1)) }
    /// }
    /// ```
    ///
    /// If the call fails, the host answers with ``SimulatedFailure/Code/downstreamFailed``. If hosts call each other in
    /// a circle, the calls don't end by themselves.
    ///
    /// - Parameter makeService: Creates the stack, once per run for each host with these settings. The world belongs to
    ///   the host: the world's fleet sends calls from this host, and no other host uses the world's random source.
    public mutating func calls<Output: Sendable>(
        _ makeService: @escaping @Sendable (SimulatedWorld) -> Service<SimulatedRequest, Output>
    ) {
        makeDownstream = { world in
            let service = makeService(world)
            return { request in service(request).map { _ in } }
        }
    }

    /// Traps if a scenario can't run with these settings.
    func validate(_ number: Int) {
        precondition(workers >= 1, "host \(number) needs a worker, not \(workers)")
        precondition(queueLimit >= 0, "host \(number) needs a queue of 0 or more calls")
    }
}
