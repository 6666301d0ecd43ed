public import PledgeFutures

extension HTTPRequest {
    /// Properties of a request that middleware and clients use, and that are no part of the HTTP message.
    ///
    /// Two requests can be equal although their contexts differ: only the idempotency key, the tags and
    /// `skipsAuthorization` are compared. ``deadline`` is the request's own limit; the time when the call must end, whoever
    /// has set it, and the number of the attempt are in the `CallContext`.
    public struct Context: Sendable {
        /// The properties; nil until one is set.
        ///
        /// Each middleware copies the context with the request. Most requests set no property, so there is usually
        /// nothing to copy.
        private var storage: Storage?

        /// Creates a context.
        public init(
            idempotencyKey: String? = nil, tags: [String: String] = [:],
            skipsAuthorization: Bool = false
        ) {
            if idempotencyKey == nil, tags.isEmpty, !skipsAuthorization { return }
            values.idempotencyKey = idempotencyKey
            values.tags = tags
            values.skipsAuthorization = skipsAuthorization
        }

        /// The properties that `==` compares.
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
    /// The key by which the server recognises a repetition, sent as the header Idempotency-Key.
    ///
    /// A request with a key may be repeated, whatever its method.
    public var idempotencyKey: String? {
        get { storage?.values.idempotencyKey }
        _modify { yield &values.idempotencyKey }
    }

    /// True if `.authorize` leaves the request alone, as for a login or a token refresh.
    public var skipsAuthorization: Bool {
        get { storage?.values.skipsAuthorization ?? false }
        _modify { yield &values.skipsAuthorization }
    }

    /// An app's values for its own middleware; they are neither sent nor shown.
    public var tags: [String: String] {
        get { storage?.values.tags ?? [:] }
        _modify { yield &values.tags }
    }

    /// True if a client must not repeat the request.
    public var skipsRetry: Bool {
        get { storage?.values.skipsRetry ?? false }
        _modify { yield &values.skipsRetry }
    }

    /// True if a client must not hedge the request with a second one.
    public var skipsHedge: Bool {
        get { storage?.values.skipsHedge ?? false }
        _modify { yield &values.skipsHedge }
    }

    /// True if a client's circuit breaker neither refuses the request nor counts its result.
    public var skipsCircuitBreaker: Bool {
        get { storage?.values.skipsCircuitBreaker ?? false }
        _modify { yield &values.skipsCircuitBreaker }
    }

    /// The time limit of one attempt, instead of the client's `attemptTimeout`.
    ///
    /// A time below zero counts as zero.
    public var attemptTimeout: Duration? {
        get { storage?.values.attemptTimeout }
        _modify { yield &values.attemptTimeout }
    }

    /// The time limit of the call, instead of the client's `deadline`.
    ///
    /// A time below zero counts as zero.
    public var deadline: Duration? {
        get { storage?.values.deadline }
        _modify { yield &values.deadline }
    }

    /// The JSON settings of the client that sends the request, or nil.
    package var json: JSONCoding? {
        get { storage?.values.json }
        _modify { yield &values.json }
    }

    /// The headers that middleware has added, with their users and origins.
    ///
    /// The headers say who makes the request, not what is requested, so two requests can be equal even if they differ
    /// in these headers.
    package var credentials: [HTTPRequest.Credential] {
        get { storage?.values.credentials ?? [] }
        _modify { yield &values.credentials }
    }

    /// The sign-ins that the call is made for; empty until the call's first request is sent.
    package var signIns: SignIns {
        get { storage?.values.signIns ?? SignIns() }
        _modify { yield &values.signIns }
    }

    /// The users of the requests that have redirected to this one; nil if nobody asks for them.
    package var users: RequestUsers? {
        get { storage?.values.users }
        _modify { yield &values.users }
    }

    /// True if the request repeats a request that got a 401.
    ///
    /// A cache does not answer such a request with a stored 401.
    package var followsRefusal: Bool {
        get { storage?.values.followsRefusal ?? false }
        _modify { yield &values.followsRefusal }
    }

    /// Keeps the cookies of all responses to the request; nil without a jar.
    package var cookieKeeper: CookieKeeper? {
        get { storage?.values.cookieKeeper }
        _modify { yield &values.cookieKeeper }
    }

    /// The origins that redirected to this request's URL.
    package var redirectingOrigins: Set<HTTPOrigin> {
        get { storage?.values.redirectingOrigins ?? [] }
        _modify { yield &values.redirectingOrigins }
    }

    /// True if the request must not be sent to a private address.
    ///
    /// The middleware `redirect` sets it for a redirect from a public host, if `Redirects.refusesPrivateAddresses` is set. A
    /// transport that knows the peer's address then sends nothing to a private address.
    package var refusesPrivateAddresses: Bool {
        get { storage?.values.refusesPrivateAddresses ?? false }
        _modify { yield &values.refusesPrivateAddresses }
    }

    /// True if the reader of a streamed response's body limits its idle time, so that the transport does not.
    package var readerLimitsIdleTime: Bool {
        get { storage?.values.readerLimitsIdleTime ?? false }
        _modify { yield &values.readerLimitsIdleTime }
    }

    /// True if a 206 is accepted, because the package has asked for a part itself.
    package var acceptsPart: Bool {
        get { storage?.values.acceptsPart ?? false }
        _modify { yield &values.acceptsPart }
    }

    /// Called by a transport that knows how many bytes of the body the system has taken from it to send.
    ///
    /// The last call comes before the transport's result. A request that is sent again counts from zero.
    package var noteSentBytes: (@Sendable (Int64) -> Void)? {
        get { storage?.values.noteSentBytes }
        _modify { yield &values.noteSentBytes }
    }

    /// How the coding of a response's body is handled; nil for the usual way, in which `.decompress` decodes it.
    package var coding: BodyCoding? {
        get { storage?.values.coding }
        _modify { yield &values.coding }
    }

    /// What becomes of the coding of a response's body: what a download asks for, and what was done.
    package enum BodyCoding: Sendable {
        /// The caller counts the encoded bytes, and wants to decode the body itself.
        case wanted
        /// `.decompress` has left the body to the caller, if it has a coding.
        case kept
        /// A transport has decoded the body.
        case decoded
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
        var users: RequestUsers?
        var followsRefusal = false
        var cookieKeeper: CookieKeeper?
        var redirectingOrigins: Set<HTTPOrigin> = []
        var refusesPrivateAddresses = false
        var readerLimitsIdleTime = false
        var acceptsPart = false
        var noteSentBytes: (@Sendable (Int64) -> Void)?
        var coding: BodyCoding?
    }

    /// `@unchecked` is safe, because the values change only while a single context holds the storage.
    private final class Storage: @unchecked Sendable {
        var values: Values

        init(_ values: Values) { self.values = values }
    }

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

extension HTTPRequest.Context: DescriptionOnly {
    /// The properties that are set, without the idempotency key itself and the values of the tags.
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
}

extension HTTPRequest {
    /// A header that middleware has added to a request for a user.
    package struct Credential: Sendable {
        package let header: String

        /// The value that was added.
        ///
        /// If the request's header has another value now, that value belongs to another user.
        package fileprivate(set) var value: String

        /// The bytes of the value; nil if they are the UTF-8 of its text.
        private(set) var bytes: [UInt8]?

        /// The user whom the header is for.
        package let principal: Principal

        /// The origins that may receive the header; if nil, only the origin of the original request may.
        package let origins: HTTPOrigins?

        package init(
            header: String, value: String, principal: Principal, origins: HTTPOrigins?
        ) {
            self.header = header
            self.value = value
            self.principal = principal
            self.origins = origins
        }

        /// Creates a credential whose value is made of bytes that a server sent.
        package init(
            header: String, bytes: [UInt8], principal: Principal, origins: HTTPOrigins?
        ) {
            self.init(
                header: header, value: HTTPHeaders.text(ofValue: bytes), principal: principal,
                origins: origins)
            self.bytes = bytes
        }

        /// Returns whether an origin other than the request's may receive the header.
        package func isFor(_ other: HTTPOrigin) -> Bool { origins?.contains(other) ?? false }
    }

    /// Returns the request with a credential's header, which replaces an earlier header of that name.
    package func adding(_ credential: Credential) -> HTTPRequest {
        var request = self
        if let bytes = credential.bytes {
            request.headers.set(bytes: bytes, for: credential.header)
        } else {
            request.headers.set(credential.value, for: credential.header)
        }
        for index in context.credentials.indices
        where context.credentials[index].header == credential.header {
            request.context.credentials[index].value = credential.value
        }
        request.context.credentials.append(credential)
        return request
    }
}
