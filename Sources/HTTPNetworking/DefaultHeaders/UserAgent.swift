public import Services

extension Middleware where Input == HTTPRequest {
    /// Says in each request which program asks, where the request does not say it (RFC 9110, section
    /// 10.1.5).
    ///
    /// ```swift
    /// let service = stack(.userAgent("Shop/2.1 (Linux)"), over: transport.send)
    /// ```
    ///
    /// - Parameter product: The program and its version, and what it is made with, the most important
    ///   first.
    public static func userAgent(_ product: String) -> Middleware {
        defaultHeaders(["User-Agent": product])
    }
}

extension Middleware where Input == Endpoint {
    /// Says in each endpoint's request which program asks; the same as with requests.
    ///
    /// - Parameter product: The program and its version, and what it is made with, the most important
    ///   first.
    public static func userAgent(_ product: String) -> Middleware {
        defaultHeaders(["User-Agent": product])
    }
}
