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
                let given = request.effectiveHeaders
                for (name, value) in headers where given.values(for: name).isEmpty {
                    request.headers.add(value, for: name)
                }
                return service(request).naming(request)
            }
        }
    }
}
