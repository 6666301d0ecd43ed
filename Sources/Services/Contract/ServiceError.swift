public import PledgeFutures

/// An error that a policy itself creates to fail a call.
///
/// Errors of the wrapped service pass through unchanged.
public struct ServiceError: Error {
    /// The kind of failure.
    public let code: Code

    /// The kind of policy that failed the call, the same as ``PolicyEvent/policy`` in its events.
    public let policy: String

    /// The name given to the policy's state, such as a circuit breaker's; nil if it has none.
    public let policyName: String?

    /// The limit of a timeout, or the duration of a wait.
    ///
    /// For a deadline, it is the time that was left when the policy began to wait.
    public let limit: Duration?

    /// The earliest instant at which another call makes sense after a refusal; nil if unknown.
    ///
    /// The instant is on the clock of the policy's scheduler.
    public let retryAt: SchedulerInstant?

    /// The time from the refusal until ``retryAt``.
    public let retryAfter: Duration?

    /// The error that led to this one, if there is one.
    public let cause: (any Error)?

    /// The name of the request, such as `GET /products`; nil for an input without a name.
    public let subject: String?

    /// The number of pages before too many.
    package var pages: Int?

    /// The part of a deadline's time in which requests waited for a free connection.
    var connectionWait = Duration.zero

    /// Creates an error.
    public init(
        _ code: Code, policy: String, policyName: String? = nil, limit: Duration? = nil,
        retryAt: SchedulerInstant? = nil, retryAfter: Duration? = nil,
        cause: (any Error)? = nil, subject: String? = nil
    ) {
        self.code = code
        self.policy = policy
        self.policyName = policyName
        self.limit = limit
        self.retryAt = retryAt
        self.retryAfter = retryAfter
        self.cause = cause
        self.subject = subject
    }
}

extension ServiceError {
    /// The kinds of failure; later versions may add some.
    public struct Code: NamedCode {
        /// One attempt took longer than its timeout allows.
        public static let timedOut = Code("timedOut")
        /// The call's deadline has passed.
        public static let deadlineExceeded = Code("deadlineExceeded")
        /// A breaker is open, because the service has failed too often.
        ///
        /// If ``ServiceError/retryAt`` is nil, the breaker is isolated.
        public static let circuitOpen = Code("circuitOpen")
        /// A bulkhead admits no more calls, and its queue is full.
        public static let bulkheadFull = Code("bulkheadFull")
        /// An adaptive limit admits no more calls now, and its queue is full.
        public static let concurrencyLimited = Code("concurrencyLimited")
        /// A call has waited in a queue for as long as the queue allows.
        public static let queueTimedOut = Code("queueTimedOut")
        /// A rate limit would have made the call wait longer than allowed.
        public static let rateLimited = Code("rateLimited")
        /// The service has asked all calls to wait, and the wait is longer than allowed.
        public static let heldBack = Code("heldBack")
        /// A throttle refused the call, because too large a share of the calls to the service fails.
        public static let throttled = Code("throttled")
        /// A load shedder's queue was full of calls that it serves before this one.
        ///
        /// Those calls are more important than this one, or equally important.
        public static let shed = Code("shed")
        /// So many keys are in use that there is no room for the call's key.
        public static let keysFull = Code("keysFull")
        /// The store of the state that a policy shares with other machines has failed, and the policy refuses calls.
        ///
        /// ``ServiceError/cause`` is the store's error.
        public static let storeFailed = Code("storeFailed")
        /// A sequence of pages had another page after the maximum number of pages.
        public static let tooManyPages = Code("tooManyPages")
        /// A request wasn't sent, because its attempt is over, or because another attempt of the call sends instead.
        public static let superseded = Code("superseded")
        /// A failure made on purpose.
        public static let injected = Code("injected")

        /// All codes.
        package static let allCases: [Code] = [
            .timedOut, .deadlineExceeded, .circuitOpen, .bulkheadFull, .concurrencyLimited,
            .queueTimedOut, .rateLimited, .heldBack, .throttled, .shed, .keysFull, .storeFailed,
            .tooManyPages, .superseded, .injected,
        ]

        package let rawValue: String

        private init(_ name: String) { rawValue = name }
    }

    /// True if a policy refused the call without giving it to the service.
    public var isRefusal: Bool {
        switch code {
        case .circuitOpen, .bulkheadFull, .concurrencyLimited, .queueTimedOut, .rateLimited,
            .heldBack, .throttled, .shed, .keysFull, .storeFailed:
            true
        default: false
        }
    }
}

extension ServiceError: CustomStringConvertible {
    /// The policy and its failure.
    ///
    /// If they are known, it also says the input's name, when to call again, and how long the call waited for a
    /// connection. Of the cause, it shows only the type.
    public var description: String {
        let again = retryAfter.map { "; call again in \($0.inWords)" } ?? ""
        let about = subject.map { " for \($0)" } ?? ""
        let behind = cause.map { " (\(type(of: $0)))" } ?? ""
        let name = policyName.map { " \($0.quoted)" } ?? ""
        let wait =
            connectionWait < .milliseconds(1)
            ? "" : "; it waited \(connectionWait.inWords) for a free connection"
        return "\(policy)\(name): \(explanation)\(about)\(behind)\(again)\(wait)"
    }

    private var explanation: String {
        let time = limit.map { " of \($0.inWords)" } ?? ""
        switch code {
        case .timedOut: return "no result within the timeout\(time)"
        case .deadlineExceeded:
            let span = limit.map { " in the \($0.inWords)" } ?? ""
            return "no result\(span) before the call's deadline"
        case .circuitOpen where retryAt == nil:
            return "refused: the circuit is isolated, until somebody resets it"
        case .circuitOpen: return "refused: the circuit is open, the service failed too often"
        case .bulkheadFull: return "refused: as many calls are in flight and queued as allowed"
        case .concurrencyLimited:
            return "refused: as many calls are in flight and queued as the service can take now"
        case .queueTimedOut: return "refused: no place within the queue's timeout\(time)"
        case .rateLimited: return "refused: the rate is exceeded"
        case .heldBack: return "refused: the service has asked to wait"
        case .throttled: return "refused: the service fails too many calls, so fewer are made"
        case .shed: return "refused: the queue is full of calls that are served before"
        case .keysFull: return "refused: as many keys are in use as allowed"
        case .storeFailed: return "refused: the store of its state has failed"
        case .tooManyPages:
            let last = pages.map { " after page \($0)" } ?? ""
            return """
                there is another page\(last); if the server does not name the same page again and \
                again, raise maxPages
                """
        case .superseded:
            return
                "not sent: its attempt is over, or another attempt of the same call sends in its place"
        default: return "failed on purpose"
        }
    }
}

extension ServiceError {
    /// The error of a request that isn't sent, because its attempt is over or another attempt sends instead.
    package static let superseded = ServiceError(.superseded, policy: "attempt")
}
