public import Services

extension Middleware where Input == HTTPRequest {
    /// Gives each request the headers whose names it does not have.
    ///
    /// ```swift
    /// let service = stack(.defaultHeaders(["Accept": "application/json"]), over: transport.send)
    /// ```
    ///
    /// A name that the request has keeps the request's values, and gets none beside them; so does the
    /// Content-Type that a body brings. An empty value in the request counts.
    ///
    /// - Parameter headers: The headers; of a name that stands there twice, both values.
    public static func defaultHeaders(_ headers: HTTPHeaders) -> Middleware {
        Middleware(named: "defaultHeaders") { service in
            { request in
                var request = request
                request.headers.add(headers, unlessIn: request.effectiveHeaders)
                return service(request).naming(request)
            }
        }
    }
}

extension Middleware where Input == Endpoint {
    /// Gives each endpoint the headers whose names it does not have.
    ///
    /// ```swift
    /// let api = stack(.defaultHeaders(["X-App": "shop"]), over: URLSession.shared.request)
    /// ```
    ///
    /// All else is as with requests. They go to whatever base the endpoint has.
    ///
    /// - Parameter headers: The headers; of a name that stands there twice, both values.
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
    /// Adds the fields whose names are not among those that are given.
    fileprivate mutating func add(_ headers: HTTPHeaders, unlessIn given: HTTPHeaders) {
        for (name, value) in headers where given.values(for: name).isEmpty { add(value, for: name) }
    }
}
