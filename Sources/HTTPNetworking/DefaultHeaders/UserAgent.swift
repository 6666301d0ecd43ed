public import PledgeServices

extension Middleware where Input == HTTPRequest {
    /// Adds the header User-Agent to each request without one (RFC 9110, section 10.1.5).
    ///
    /// ```swift
    /// let service = stack(.userAgent("Shop/2.1 (Linux)"), over: transport.send)
    /// ```
    ///
    /// - Parameter product: The program and its version, and its components, the most important first.
    public static func userAgent(_ product: String) -> Middleware {
        defaultHeaders(["User-Agent": product])
    }
}

extension Middleware where Input == Endpoint {
    /// Adds the header User-Agent to each endpoint without one, as with requests.
    ///
    /// - Parameter product: The program and its version, and its components, the most important first.
    public static func userAgent(_ product: String) -> Middleware {
        defaultHeaders(["User-Agent": product])
    }
}
