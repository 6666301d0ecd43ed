public import Services

extension HTTPRequest {
    /// What is known of the call that sends a request.
    public struct Context {
        /// The instant by which the call has to end, nil without a deadline.
        ///
        /// A transport keeps the sooner of this and the calling `CallContext`'s, and so do all parts of an
        /// `HTTPClient`. The policies of a stack of your own know the `CallContext`'s only, which `.deadline` sets.
        public var deadline: CallDeadline?

        /// Which attempt this is, counted from one.
        public var attempt: Int

        /// By what a server knows a second request for the first; sent as the header Idempotency-Key.
        ///
        /// A request that has one may be repeated, whatever its method.
        public var idempotencyKey: String?

        /// Whether `.authorize` leaves the request alone: a login, or what a refresh asks.
        public var skipsAuthorization: Bool

        /// Whatever an app wants its own middleware to know; nothing of it is sent or shown.
        public var tags: [String: String]

        /// Which headers middleware has put in, in whose name, and to whom they may be sent.
        ///
        /// They are part of how a request is sent, not of what it asks for, and are not compared.
        package var credentials: [Credential] = []

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

        /// What belongs to the question, so that two of the same question are equal.
        var asks: Asks {
            Asks(
                idempotencyKey: idempotencyKey, tags: tags, skipsAuthorization: skipsAuthorization)
        }

        struct Asks: Hashable {
            let idempotencyKey: String?
            let tags: [String: String]
            let skipsAuthorization: Bool
        }
    }

    /// The same request with the deadline and the attempt of the call that is being made.
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
