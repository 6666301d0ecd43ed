public import HTTPNetworking

extension MemoryTransport {
    /// One call of the transport, with its route.
    public struct Call: Hashable, Sendable {
        /// What was asked for.
        ///
        /// For a request of the second level, this is an endpoint that would send the same.
        public let endpoint: Endpoint

        /// The request, with the deadline and the attempt of its call; nil for a call with an endpoint.
        public let request: HTTPRequest?

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
            self.route = route
            self.parameters = parameters
        }
    }
}
