public import PledgeHTTPNetworking
import PledgeServices

extension MemoryTransport {
    /// One call of the transport, with its route.
    public struct Call: Hashable, Sendable {
        /// What was asked for.
        ///
        /// For a request of the second level, this is an endpoint that would send the same.
        public let endpoint: Endpoint

        /// The request; nil for a call with an endpoint.
        public let request: HTTPRequest?

        /// Which attempt of the innermost retry it was, counted from one.
        public let attempt: Int

        /// The matching route, like "GET /products/:id"; nil if none matched.
        public let route: String?

        /// The values of the pattern's parameters, decoded.
        public let parameters: [String: String]

        init(
            endpoint: Endpoint, request: HTTPRequest?, route: String? = nil,
            parameters: [String: String] = [:]
        ) {
            self.endpoint = endpoint
            self.request = request
            attempt = CallContext.current.attempt
            self.route = route
            self.parameters = parameters
        }
    }
}
