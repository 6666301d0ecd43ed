public import PledgeFutures
public import PledgeHTTPMessages
public import PledgeServices

extension Middleware where Input == HTTPRequest {
    /// Adds a key to each non-idempotent request, so that the server recognises a repetition.
    ///
    /// ```swift
    /// let service = stack(.idempotencyKey(), .retry(), over: transport.send)
    /// ```
    ///
    /// Put it above the retry: all attempts of a call then have the same key, and the retry may repeat the request,
    /// because a request with a key is `HTTPRequest.isReplayable`. Below the retry, each attempt would get its own
    /// key, so the retry would not repeat the request.
    ///
    /// The key is sent as the header Idempotency-Key. A request whose method is idempotent gets no key. A request that
    /// already has a key, in its context or as a header, keeps it. Use this only with servers that support the header.
    ///
    /// - Parameter random: The source of the keys. Each key is a random UUID (RFC 9562, section 5.4) made from two
    ///   numbers of this source.
    public static func idempotencyKey(random: RandomSource = .system) -> Middleware {
        idempotencyKey { _ in random.nextUUID() }
    }

    /// Adds your own key to each non-idempotent request.
    ///
    /// See `idempotencyKey(random:)`.
    ///
    /// - Parameter makeKey: Creates the key. Called once per call, on the caller's thread. To repeat an earlier call,
    ///   return the key that the earlier call used.
    public static func idempotencyKey(
        _ makeKey: @escaping @Sendable (HTTPRequest) -> String
    ) -> Middleware {
        Middleware(changing: "idempotencyKey") { next in
            { request in
                let hasKey =
                    request.context.idempotencyKey != nil
                    || request.headers["Idempotency-Key"] != nil
                if hasKey || request.method.isIdempotent { return next(request) }
                var sent = request
                sent.context.idempotencyKey = makeKey(request)
                // If a policy above this middleware repeated the call, the request would get another key, and the
                // server would not recognise the repetition. So the request is recorded without its key, and a policy
                // that reads the record does not repeat it.
                return CallContext.current.sending(request, fate: { _ in .mayHaveArrived }) {
                    next(sent)
                }
            }
        }
    }
}

extension Middleware where Input == Endpoint {
    /// Adds a key to each non-idempotent endpoint, like the middleware for requests.
    ///
    /// The key becomes the endpoint's header Idempotency-Key. Put this above the retry.
    ///
    /// - Parameter random: The source of the keys.
    public static func idempotencyKey(random: RandomSource = .system) -> Middleware {
        idempotencyKey { _ in random.nextUUID() }
    }

    /// Adds your own key to each non-idempotent endpoint.
    ///
    /// - Parameter makeKey: Creates the key. Called once per call, on the caller's thread.
    public static func idempotencyKey(
        _ makeKey: @escaping @Sendable (Endpoint) -> String
    ) -> Middleware {
        Middleware { service in
            { endpoint in
                if endpoint.isReplayable { return service(endpoint) }
                var sent = endpoint
                sent.headers["Idempotency-Key"] = makeKey(endpoint)
                return CallContext.current.sending(endpoint, fate: { _ in .mayHaveArrived }) {
                    service(sent)
                }
            }
        }
    }
}

extension RandomSource {
    /// A random UUID in its usual form.
    fileprivate func nextUUID() -> String {
        let high = nextOfID() & ~0xF000 | 0x4000
        let low = nextOfID() & ~(0b11 << 62) | 0b10 << 62
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for index in 0..<32 {
            if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
            let number = index < 16 ? high : low
            text.append(digits[Int(number >> (60 - index % 16 * 4) & 0xF)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
