/// A request in an object: each middleware copies the response, and so copies only a reference.
final class BoxedRequest: Sendable {
    let request: HTTPRequest

    init(_ request: HTTPRequest) { self.request = request }
}
