public import PledgeHTTPMessages
public import PledgeServices

extension Middleware where Input == HTTPRequest {
    /// Adds headers to each request that has none of the same name.
    ///
    /// ```swift
    /// let service = stack(.defaultHeaders(["Accept": "application/json"]), over: transport.send)
    /// ```
    ///
    /// If the request already has a header with the same name, even an empty one, that header stays as it is. The
    /// Content-Type of the request's body counts as such a header.
    ///
    /// - Parameter headers: The headers to add. If a name occurs twice, both values are added.
    public static func defaultHeaders(_ headers: HTTPHeaders) -> Middleware {
        .changing(named: "defaultHeaders") { request in
            var request = request
            request.headers.add(headers, unlessIn: request.effectiveHeaders)
            return request
        }
    }
}

extension Middleware where Input == Endpoint {
    /// Adds headers to each endpoint that has none of the same name.
    ///
    /// ```swift
    /// let api = stack(.defaultHeaders(["X-App": "shop"]), over: URLSession.shared.request)
    /// ```
    ///
    /// It follows the same rules as the middleware for requests. The headers are sent to every server, whatever the
    /// endpoint's base is.
    ///
    /// - Parameter headers: The headers to add. If a name occurs twice, both values are added.
    public static func defaultHeaders(_ headers: HTTPHeaders) -> Middleware {
        Middleware { service in
            { endpoint in
                var endpoint = endpoint
                endpoint.headers.add(headers, unlessIn: endpoint.effectiveHeaders)
                return service(endpoint)
            }
        }
    }
}

extension HTTPHeaders {
    /// Adds the fields whose names `given` doesn't have.
    fileprivate mutating func add(_ headers: HTTPHeaders, unlessIn given: HTTPHeaders) {
        for (name, value) in headers where given.values(for: name).isEmpty { add(value, for: name) }
    }
}

extension Middleware where Input == HTTPRequest {
    /// Adds the header User-Agent to each request without one (RFC 9110, section 10.1.5).
    ///
    /// ```swift
    /// let service = stack(.userAgent("Shop/2.1 (Linux)"), over: transport.send)
    /// ```
    ///
    /// - Parameter product: The program with its version, followed by its components, the most important first.
    public static func userAgent(_ product: String) -> Middleware {
        defaultHeaders(["User-Agent": product])
    }
}

extension Middleware where Input == Endpoint {
    /// Adds the header User-Agent to each endpoint without one, like the middleware for requests.
    ///
    /// - Parameter product: The program with its version, followed by its components, the most important first.
    public static func userAgent(_ product: String) -> Middleware {
        defaultHeaders(["User-Agent": product])
    }
}
