extension HTTPRequest {
    /// Properties of a request that are not sent as such.
    ///
    /// The call's end and the number of the attempt are in the `CallContext`.
    public struct Context {
        /// The key by which a server recognises a repetition; sent as the header Idempotency-Key.
        ///
        /// A request that has one may be repeated, whatever its method.
        public var idempotencyKey: String?

        /// Whether `.authorize` leaves the request alone: a login, or a request of a refresh.
        public var skipsAuthorization: Bool

        /// Values of an app for its own middleware; they are not sent or shown.
        public var tags: [String: String]

        /// What the request chooses for itself; in an object, since nearly all choose nothing.
        private var choices: Choices?

        /// The headers that middleware has added, with their users and their origins.
        ///
        /// They are not part of the requested resource, and are not compared.
        package var credentials: [Credential] = []

        /// The sign-ins that the call is made for, once a part has bound them; not compared.
        package var signIns = SignIns()

        /// Whether it repeats a request that was refused with a 401, so that no stored 401 answers it; not compared.
        package var followsRefusal = false

        /// The jar that keeps the cookies of all responses to the request; not compared.
        package var cookieJar: (any CookieKeeping)?

        /// The origins whose redirects have led to this request's URL; not compared.
        var redirectingOrigins: Set<HTTPOrigin> = []

        /// Whether a redirect from elsewhere has led to it that must not lead into a private network, so that a
        /// transport that knows the peer's address sends nothing to a private one; not compared.
        package var refusesPrivateAddresses = false

        /// Makes a context.
        public init(
            idempotencyKey: String? = nil, tags: [String: String] = [:],
            skipsAuthorization: Bool = false
        ) {
            self.idempotencyKey = idempotencyKey
            self.tags = tags
            self.skipsAuthorization = skipsAuthorization
        }

        /// The compared properties.
        var compared: ComparedProperties {
            ComparedProperties(
                idempotencyKey: idempotencyKey, tags: tags, skipsAuthorization: skipsAuthorization)
        }

        struct ComparedProperties: Hashable {
            let idempotencyKey: String?
            let tags: [String: String]
            let skipsAuthorization: Bool
        }
    }
}

extension HTTPRequest.Context {
    /// Whether a client does not repeat the request; not compared.
    public var skipsRetry: Bool {
        get { choices?.values.skipsRetry ?? false }
        set { choose { $0.skipsRetry = newValue } }
    }

    /// Whether a client sends no second request beside it; not compared.
    public var skipsHedge: Bool {
        get { choices?.values.skipsHedge ?? false }
        set { choose { $0.skipsHedge = newValue } }
    }

    /// Whether a client's breaker neither refuses the request nor counts its end; not compared.
    public var skipsCircuitBreaker: Bool {
        get { choices?.values.skipsCircuitBreaker ?? false }
        set { choose { $0.skipsCircuitBreaker = newValue } }
    }

    /// How long one attempt may take, instead of the client's `attemptTimeout`; not compared.
    ///
    /// A time below zero counts as zero.
    public var attemptTimeout: Duration? {
        get { choices?.values.attemptTimeout }
        set { choose { $0.attemptTimeout = newValue } }
    }

    /// How long the call may take, instead of the client's `deadline`; not compared.
    ///
    /// A time below zero counts as zero.
    public var deadline: Duration? {
        get { choices?.values.deadline }
        set { choose { $0.deadline = newValue } }
    }

    private struct Values {
        var skipsRetry = false
        var skipsHedge = false
        var skipsCircuitBreaker = false
        var attemptTimeout: Duration?
        var deadline: Duration?
    }

    private final class Choices: Sendable {
        let values: Values

        init(_ values: Values) { self.values = values }
    }

    private mutating func choose(_ change: (inout Values) -> Void) {
        var values = choices?.values ?? Values()
        change(&values)
        choices = Choices(values)
    }
}

extension HTTPRequest.Context: CustomStringConvertible, CustomReflectable {
    /// Which properties are set; neither the key nor any tag's value.
    public var description: String {
        let parts = [
            idempotencyKey.map { _ in "an idempotency key" },
            tags.isEmpty ? nil : "\(tags.count) tags",
            skipsAuthorization ? "no authorization" : nil,
            skipsRetry ? "no retry" : nil, skipsHedge ? "no hedge" : nil,
            skipsCircuitBreaker ? "no circuit breaker" : nil,
            attemptTimeout.map { _ in "an attempt timeout" }, deadline.map { _ in "a deadline" },
        ]
        return parts.compactMap { $0 }.joined(separator: ", ")
    }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["context": description]) }
}

extension HTTPRequest.Context: Sendable {}
