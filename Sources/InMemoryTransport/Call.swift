public import HTTPNetworking

extension MemoryTransport {
    /// One call of the transport: what was asked for, and which route took it.
    public struct Call: Hashable, Sendable {
        /// What was asked for.
        ///
        /// For a request of the second level, an endpoint that would send the same.
        public let endpoint: Endpoint

        /// The request, with the deadline and the attempt of its call; nil where an endpoint was asked
        /// for.
        public let request: HTTPRequest?

        /// The route that took the call, like "GET /products/:id"; nil where none did.
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
