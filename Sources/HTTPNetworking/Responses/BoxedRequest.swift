/// A request in an object: a response that has it is copied by each middleware, and so copies one reference.
final class BoxedRequest: Sendable {
    let request: HTTPRequest

    init(_ request: HTTPRequest) { self.request = request }
}
