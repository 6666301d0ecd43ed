public import PledgeHTTPMessages
public import PledgeServices

extension MemoryTransport {
    /// The error of a call that matches no route: the call, the routes, and the nearest route.
    package struct UnmatchedCall: Error, CallerError {
        /// The endpoint of the call.
        package let endpoint: Endpoint

        /// The routes, like "GET /products/:id", in order.
        package let routes: [String]

        /// The route that differs least: a difference in the path weighs more than all in the query.
        ///
        /// Nil if the transport has no routes.
        package let nearest: String?

        /// The differences between the call and the nearest route, in words.
        package let differences: [String]

        init(endpoint: Endpoint, asked: RequestTarget, routes: [Route]) {
            self.endpoint = endpoint
            self.routes = routes.map(\.name)
            let best = routes.min {
                let (left, right) = ($0.distance(to: asked), $1.distance(to: asked))
                return left < right
            }
            nearest = best?.name
            differences = best?.differences(from: asked) ?? []
        }
    }
}

extension MemoryTransport.UnmatchedCall: CustomStringConvertible {
    /// The call without its query's values, the nearest route with its differences, and all routes.
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
