public import Services

extension HTTPRequest {
    /// Properties of the call that sends a request.
    public struct Context {
        /// The instant by which the call has to end; nil without a deadline.
        ///
        /// A transport uses the earlier of this and the deadline of the calling `CallContext`, and so do all
        /// parts of an `HTTPClient`. The policies of your own stack use only that of the `CallContext`, which
        /// `.deadline` sets.
        public var deadline: CallDeadline?

        /// Which attempt this is, counted from one.
        public var attempt: Int

        /// The key by which a server recognises a repetition; sent as the header Idempotency-Key.
        ///
        /// A request that has one may be repeated, whatever its method.
        public var idempotencyKey: String?

        /// Whether `.authorize` leaves the request alone: a login, or a request of a refresh.
        public var skipsAuthorization: Bool

        /// Values of an app for its own middleware; they are not sent or shown.
        public var tags: [String: String]

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

        /// Makes a context.
        public init(
            deadline: CallDeadline? = nil, attempt: Int = 1, idempotencyKey: String? = nil,
            tags: [String: String] = [:], skipsAuthorization: Bool = false
        ) {
            self.deadline = deadline
            self.attempt = attempt
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

    /// The same request with the deadline and the attempt of the current call.
    ///
    /// A transport calls it first, in the caller's context. The earlier deadline holds; the attempt
    /// is the call's, if the call is repeated.
    public func inCallContext(_ call: CallContext = .current) -> HTTPRequest {
        var request = self
        if let deadline = call.deadline {
            let isSooner = context.deadline.map { deadline.remaining < $0.remaining } ?? true
            if isSooner { request.context.deadline = deadline }
        }
        if call.attempt > 1 { request.context.attempt = call.attempt }
        return request
    }
}

extension HTTPRequest.Context: CustomStringConvertible, CustomReflectable {
    /// The attempt, and whether there is a deadline and a key; neither the key nor any tag's value.
    public var description: String {
        let key = idempotencyKey == nil ? "" : ", with an idempotency key"
        let limit = deadline == nil ? "" : ", with a deadline"
        return "attempt \(attempt)\(limit)\(key)"
    }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["context": description]) }
}

extension HTTPRequest.Context: Sendable {}
