public import HTTPNetworking

extension MemoryTransport {
    /// One call of the transport: what was asked for, and which route took it.
    public struct Call: Hashable, Sendable {
        /// What was asked for.
        public let endpoint: Endpoint

        /// The route that took the call, like "GET /products/:id"; nil where none did.
        public let route: String?

        /// The values of the pattern's parameters, decoded.
        public let parameters: [String: String]

        init(endpoint: Endpoint, route: String? = nil, parameters: [String: String] = [:]) {
            self.endpoint = endpoint
            self.route = route
            self.parameters = parameters
        }
    }
}
