import PledgeFutures
public import PledgeHTTPNetworking
public import PledgeServices

/// How a simulated host works.
///
/// ```swift
/// var database = HostSettings(serviceTime: .exponential(mean: .milliseconds(10)))
/// database.workers = 3
/// database.queueLimit = 1_000
/// ```
public struct HostSettings {
    /// In which order calls that wait are begun.
    public enum QueueOrder: Sendable, Hashable {
        /// The one that has waited longest is next.
        case firstInFirstOut
        /// The one that came last is next.
        case lastInFirstOut
    }

    /// Its name, for reports and for requests: "database" answers `http://database.fleet.test/…`, and "api.shop.com"
    /// answers `https://api.shop.com/…`.
    ///
    /// Nil names it by its number: "host 0". A name that two hosts have traps when a scenario runs.
    public var name: String?

    /// What it answers to HTTP requests, once its service time is over; nil means a 200 without a body.
    ///
    /// ```swift
    /// host.answer = { request in
    ///     HTTPResponse(status: 200, body: Data(#"{"path":"\(request.url.path)"}"#.utf8))
    /// }
    /// ```
    ///
    /// It runs in the simulation, when the answer reaches the caller, and must depend on nothing outside. The
    /// response gets the request, and its URL unless it has one. A failure of the host has its own status, such as 503.
    public var answer: (@Sendable (HTTPRequest) -> HTTPResponse)?

    /// How many calls are worked on at once.
    ///
    /// Less than 1 traps when a scenario runs.
    public var workers = 1

    /// How many calls may wait for a worker; one more is refused.
    ///
    /// Less than 0 traps when a scenario runs.
    public var queueLimit = Int.max

    /// Which of the waiting calls is next.
    public var queueOrder = QueueOrder.firstInFirstOut

    /// How long a worker takes for a call.
    public var serviceTime: Distribution

    /// How long a message takes from the client to the host, and another one back.
    public var latency = Distribution.constant(.zero)

    /// Which share of calls fails after its service time, from 0 to 1.
    public var failureRate = 0.0

    /// Which share of messages to and from the host is lost, from 0 to 1; a call of which one is lost gets no answer.
    public var lossRate = 0.0

    /// When a call that is refused may come again: the Retry-After of a 503; nil leaves it out.
    public var retryAfter: Duration?

    /// Whether calls tell the host their deadlines: one that has passed is not begun, and calls to other hosts
    /// inherit it.
    ///
    /// A call that is not begun fails with ``SimulatedFailure/Code/deadlinePassed``.
    public var knowsDeadlines = false

    /// Whether a call is worked on after its caller has given it up, as most servers do.
    ///
    /// Otherwise its worker is free at once, and a call that waits is not begun.
    public var finishesAbandonedCalls = true

    /// Whether a worker waits for the calls to other hosts that ``calls(_:)`` makes, as a thread for each call does.
    public var holdsWorkerWhileCalling = true

    /// How long a host that has restarted is slower, and how many times at first; it then gets faster evenly.
    public var warmUp: (time: Duration, factor: Double) = (.zero, 1)

    /// Makes what ``calls(_:)`` was given.
    private(set) var makeDownstream:
        (@Sendable (SimulatedWorld) -> @Sendable (SimulatedRequest) -> Future<Void>)?

    /// Makes the settings of a host with one worker.
    ///
    /// - Parameter serviceTime: How long a worker takes for a call.
    public init(serviceTime: Distribution) { self.serviceTime = serviceTime }
}

extension HostSettings {
    /// Makes the host call other hosts, through a stack of its own, after its service time and before its answer.
    ///
    /// ```swift
    /// var shop = HostSettings(serviceTime: .constant(.milliseconds(5)))
    /// shop.calls { world in
    ///     let database = stack(.retry(on: world.scheduler), over: world.fleet.send)
    ///     return { call in database(SimulatedRequest(number: call.number, host: 1)) }
    /// }
    /// ```
    ///
    /// If the call fails, the host answers with ``SimulatedFailure/Code/downstreamFailed``. A call that hosts make to
    /// themselves in a circle does not end by itself.
    ///
    /// - Parameter makeService: Makes the stack, once in a run for each host with these settings. The world is the
    ///   host's own: its fleet is seen from the host, and its chance belongs to the host.
    public mutating func calls<Output: Sendable>(
        _ makeService: @escaping @Sendable (SimulatedWorld) -> Service<SimulatedRequest, Output>
    ) {
        makeDownstream = { world in
            let service = makeService(world)
            return { request in service(request).map { _ in } }
        }
    }

    /// Traps if a scenario cannot run with these settings.
    func validate(_ number: Int) {
        precondition(workers >= 1, "host \(number) needs a worker, not \(workers)")
        precondition(queueLimit >= 0, "host \(number) needs a queue of 0 or more calls")
    }
}

extension HostSettings: Sendable {}
