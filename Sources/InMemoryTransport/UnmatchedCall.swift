public import PledgeHTTPNetworking
public import PledgeServices

extension MemoryTransport {
    /// The error of a call that no route matches: the call, the routes, and the nearest one.
    public struct UnmatchedCall: Error, CallerError {
        /// What was asked for.
        public let endpoint: Endpoint

        /// The routes, like "GET /products/:id", in order.
        public let routes: [String]

        /// The route that differs least from the call; nil without routes.
        public let nearest: String?

        /// The differences of the call from the nearest route.
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

extension MemoryTransport.UnmatchedCall: CustomStringConvertible {
    /// The call, the nearest route with the differences, and all routes, without query values.
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

extension MemoryTransport.UnmatchedCall: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}
