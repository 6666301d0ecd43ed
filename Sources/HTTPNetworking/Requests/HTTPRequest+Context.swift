extension HTTPRequest {
    /// Properties of a request that are not sent as such.
    ///
    /// The call's end and the number of the attempt are in the `CallContext`.
    public struct Context {
        /// Nil while no property was set, as in nearly all requests: a request is copied by each part that it passes.
        private var storage: Storage?

        /// Makes a context.
        public init(
            idempotencyKey: String? = nil, tags: [String: String] = [:],
            skipsAuthorization: Bool = false
        ) {
            if idempotencyKey == nil, tags.isEmpty, !skipsAuthorization { return }
            values.idempotencyKey = idempotencyKey
            values.tags = tags
            values.skipsAuthorization = skipsAuthorization
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
    /// The key by which a server recognises a repetition; sent as the header Idempotency-Key.
    ///
    /// A request that has one may be repeated, whatever its method.
    public var idempotencyKey: String? {
        get { storage?.values.idempotencyKey }
        _modify { yield &values.idempotencyKey }
    }

    /// Whether `.authorize` leaves the request alone: a login, or a request of a refresh.
    public var skipsAuthorization: Bool {
        get { storage?.values.skipsAuthorization ?? false }
        _modify { yield &values.skipsAuthorization }
    }

    /// Values of an app for its own middleware; they are not sent or shown.
    public var tags: [String: String] {
        get { storage?.values.tags ?? [:] }
        _modify { yield &values.tags }
    }

    /// Whether a client does not repeat the request; not compared.
    public var skipsRetry: Bool {
        get { storage?.values.skipsRetry ?? false }
        _modify { yield &values.skipsRetry }
    }

    /// Whether a client sends no second request beside it; not compared.
    public var skipsHedge: Bool {
        get { storage?.values.skipsHedge ?? false }
        _modify { yield &values.skipsHedge }
    }

    /// Whether a client's breaker neither refuses the request nor counts its end; not compared.
    public var skipsCircuitBreaker: Bool {
        get { storage?.values.skipsCircuitBreaker ?? false }
        _modify { yield &values.skipsCircuitBreaker }
    }

    /// How long one attempt may take, instead of the client's `attemptTimeout`; not compared.
    ///
    /// A time below zero counts as zero.
    public var attemptTimeout: Duration? {
        get { storage?.values.attemptTimeout }
        _modify { yield &values.attemptTimeout }
    }

    /// How long the call may take, instead of the client's `deadline`; not compared.
    ///
    /// A time below zero counts as zero.
    public var deadline: Duration? {
        get { storage?.values.deadline }
        _modify { yield &values.deadline }
    }

    /// The JSON settings of the client that sends it, or nil; not compared.
    package var json: JSONCoding? {
        get { storage?.values.json }
        _modify { yield &values.json }
    }

    /// The headers that middleware has added, with their users and their origins.
    ///
    /// They are not part of the requested resource, and are not compared.
    package var credentials: [HTTPRequest.Credential] {
        get { storage?.values.credentials ?? [] }
        _modify { yield &values.credentials }
    }

    /// The sign-ins that the call is made for, once a part has bound them; not compared.
    package var signIns: SignIns {
        get { storage?.values.signIns ?? SignIns() }
        _modify { yield &values.signIns }
    }

    /// Whether it repeats a request that was refused with a 401, so that no stored 401 answers it; not compared.
    package var followsRefusal: Bool {
        get { storage?.values.followsRefusal ?? false }
        _modify { yield &values.followsRefusal }
    }

    /// The jar that keeps the cookies of all responses to the request; not compared.
    package var cookieJar: (any CookieKeeping)? {
        get { storage?.values.cookieJar }
        _modify { yield &values.cookieJar }
    }

    /// The origins whose redirects have led to this request's URL; not compared.
    var redirectingOrigins: Set<HTTPOrigin> {
        get { storage?.values.redirectingOrigins ?? [] }
        _modify { yield &values.redirectingOrigins }
    }

    /// Whether a redirect from elsewhere has led to it that must not lead into a private network, so that a
    /// transport that knows the peer's address sends nothing to a private one; not compared.
    package var refusesPrivateAddresses: Bool {
        get { storage?.values.refusesPrivateAddresses ?? false }
        _modify { yield &values.refusesPrivateAddresses }
    }

    private struct Values {
        var idempotencyKey: String?
        var skipsAuthorization = false
        var tags: [String: String] = [:]
        var skipsRetry = false
        var skipsHedge = false
        var skipsCircuitBreaker = false
        var attemptTimeout: Duration?
        var deadline: Duration?
        var json: JSONCoding?
        var credentials: [HTTPRequest.Credential] = []
        var signIns = SignIns()
        var followsRefusal = false
        var cookieJar: (any CookieKeeping)?
        var redirectingOrigins: Set<HTTPOrigin> = []
        var refusesPrivateAddresses = false
    }

    /// Unchecked: it changes only while one context has it.
    private final class Storage: @unchecked Sendable {
        var values: Values

        init(_ values: Values) { self.values = values }
    }

    /// The properties, to change them.
    private var values: Values {
        get { storage?.values ?? Values() }
        _modify {
            if storage == nil || !isKnownUniquelyReferenced(&storage) {
                storage = Storage(storage?.values ?? Values())
            }
            guard let storage else { preconditionFailure("made above") }
            yield &storage.values
        }
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
