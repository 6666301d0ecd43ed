public import PledgeServices

extension Middleware where Input == HTTPRequest {
    /// Adds headers to each request, if it has none of the same name.
    ///
    /// ```swift
    /// let service = stack(.defaultHeaders(["Accept": "application/json"]), over: transport.send)
    /// ```
    ///
    /// If the request has a header of a name, it keeps its values, and gets no further ones; the same holds
    /// for the Content-Type of a body. An empty value in the request counts.
    ///
    /// - Parameter headers: The headers; for a name that occurs twice, both values.
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
    /// Adds headers to each endpoint, if it has none of the same name.
    ///
    /// ```swift
    /// let api = stack(.defaultHeaders(["X-App": "shop"]), over: URLSession.shared.request)
    /// ```
    ///
    /// Otherwise as with requests. They are sent to any base that the endpoint has.
    ///
    /// - Parameter headers: The headers; for a name that occurs twice, both values.
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
    /// Adds the fields whose names are not present yet.
    fileprivate mutating func add(_ headers: HTTPHeaders, unlessIn given: HTTPHeaders) {
        for (name, value) in headers where given.values(for: name).isEmpty { add(value, for: name) }
    }
}
