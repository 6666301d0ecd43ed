public import HTTPNetworking
public import Services

extension MemoryTransport {
    /// A call that no route matches: the call, the routes there are, and the one that was nearest.
    public struct UnmatchedCall: Error {
        /// What was asked for.
        public let endpoint: Endpoint

        /// The routes, like "GET /products/:id", in order.
        public let routes: [String]

        /// The route that differs least from the call; nil where there are none.
        public let nearest: String?

        /// How the call differs from the nearest route.
        public let differences: [String]

        init(endpoint: Endpoint, asked: RequestTarget, routes: [Route]) {
            self.endpoint = endpoint
            self.routes = routes.map(\.description)
            let all = routes.map { ($0, $0.differences(from: asked)) }
            let best = all.min { $0.1.count < $1.1.count }
            nearest = best?.0.description
            differences = best?.1 ?? []
        }
    }
}

extension MemoryTransport.UnmatchedCall: CallersMistake {}

extension MemoryTransport.UnmatchedCall: CustomStringConvertible {
    /// The call, the nearest route with what differs, and all routes; no query values.
    public var description: String {
        guard let nearest else {
            return "no route answers \(endpoint): this transport has no routes"
        }
        return """
            no route answers \(endpoint)
            nearest: \(nearest) (\(differences.joined(separator: "; ")))
            routes:
            \(routes.map { "  \($0)" }.joined(separator: "\n"))
            """
    }
}
