public import PledgeHTTPNetworking
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output == HTTPResponse {
    /// Answers with stored responses, as far as HTTP's rules for caches allow.
    ///
    /// ```swift
    /// let cache = HTTPCache(in: MemoryCacheStore(limit: 64 << 20))
    /// let service = stack(.redirect(), .cache(sharing: cache), .retry(), over: transport.send)
    /// ```
    ///
    /// It is a cache by RFC 9111, private by default, with stale-while-revalidate and
    /// stale-if-error of RFC 5861. Servers state by Cache-Control, Expires, ETag, Last-Modified and
    /// Vary which responses may be used for how long; a request states by its Cache-Control which it accepts.
    /// A conditional request confirms a stale response; equal requests that wait share it, as they share a
    /// request for which nothing is stored (``HTTPCache``'s `coalescesMisses`). An unsafe method invalidates
    /// the stored responses of its URL.
    ///
    /// **Users.** A private cache returns a response only to requests of the same partition as the original
    /// request: that of the credentials that `.authorize` has added (an account, or one sign-in, which
    /// outlasts its tokens), of the cookies' jar, or of equal values of Authorization, Cookie, and every other
    /// header that is not known to be harmless (``HTTPCache``'s `harmlessHeaders` names further ones). A response
    /// that was stored for a sign-in or a jar ends with it; the partition of an account that the app names
    /// does not end. A stored 401 answers only requests with the refused credentials, and never a request that
    /// `.authorize` repeats after a 401.
    ///
    /// **Place.** Beneath every part that changes requests, so that the cache sees what the server
    /// sees: redirects, cookies, authorization. A response from another URL than the requested one
    /// is not stored, nor is one to credentials that were added beneath the cache: a note says so.
    /// Above retries and the other parts, which an answer from the cache does not need.
    ///
    /// **Answers.** A stored response is returned on the caller's thread, with an Age, and with the
    /// stored status; as the same kind of error if an `.acceptStatus()` beneath had turned it into
    /// one. Failures are the service's own; a request with only-if-cached that cannot be answered
    /// gets a 504. Cancelling a call does not affect others that share its revalidation.
    ///
    /// **Events.** `hit` and `miss`, and notes: "stale", "revalidating", "confirmed", "rescued", and the
    /// reason why an answer to credentials beneath is not stored.
    ///
    /// - Parameter cache: The cache. Several stacks may share one, if all have an
    ///   `.acceptStatus()` on the same side of it.
    public static func cache(sharing cache: HTTPCache = HTTPCache()) -> Middleware {
        Middleware(named: "cache") { next in
            let layer = CacheLayer(cache, over: next)
            return { request in layer.call(request) }
        }
    }
}

extension Middleware where Input == Endpoint {
    /// Not available: an endpoint's data has no status and no headers, by which a cache decides.
    @available(
        *, unavailable,
        message:
            "a cache needs requests and responses: set client.cache, or write makeNetworking(over: stack(.cache(), over: send), base: server)"
    )
    public static func cache(sharing cache: HTTPCache = HTTPCache()) -> Middleware {
        fatalError("unavailable")
    }
}
