public import Futures
public import HTTPNetworking
import Services

/// The functions of a client, put together when they are first used.
final class LazyFunctions: Sendable {
    struct Functions: Sendable {
        let send: HTTPService
        let stream: HTTPStreamingService
        let accepted: Service<Endpoint, HTTPResponse>
        let networking: Networking
    }

    private let made = Locked<Functions?>(nil)

    /// The functions of a client, whose slots are those that this was made for.
    func functions(of client: HTTPClient) -> Functions {
        if let functions = made.withLock({ $0 }) { return functions }
        let functions = Functions(client)
        // Another thread may have come first: all are to share its budget and its breakers.
        return made.withLock { made in
            if let made { return made }
            made = functions
            return functions
        }
    }
}

extension LazyFunctions.Functions {
    fileprivate init(_ client: HTTPClient) {
        let shared = SharedStates(of: client)
        let send = client.wholeStack(sharing: shared)(client.transport.send)
        self.send = send
        stream = client.streamingStack(sharing: shared)(client.transport.stream)
        // Acceptance beneath the observers, so that they count what the caller gets.
        let statuses = client.acceptedStatuses ?? 200...299
        let accepting =
            client.acceptedStatuses == nil
            ? client.wholeStack(sharing: shared, accepting: statuses)(client.transport.send) : send
        networking = makeNetworking(
            over: accepting, base: client.base, accepting: statuses)
        accepted = lowering(to: accepting, base: client.base, accepting: statuses) { $0 }
    }
}

extension HTTPClient {
    /// Sends a request, and gives a future of the whole response.
    ///
    /// ``acceptedStatuses`` defines which statuses become errors. A request for another origin than
    /// the base's has neither ``headers`` nor credentials.
    public var send: HTTPService { lazyFunctions.functions(of: self).send }

    /// Sends a request, and gives a future of the response as soon as its headers have come.
    ///
    /// As ``send``, but past the cache. What fails after the headers fails the body: it is not repeated.
    public var stream: HTTPStreamingService { lazyFunctions.functions(of: self).stream }

    /// Asks for an endpoint, and gives a future of the accepted body.
    ///
    /// As `makeNetworking(over:base:accepting:)` over ``send``, with ``base`` and ``acceptedStatuses``.
    public var networking: Networking { lazyFunctions.functions(of: self).networking }

    /// Asks for an endpoint, and decodes the accepted body as JSON, by ``json``.
    ///
    /// ```swift
    /// let product: Future<Product> = client.decoded(.product(withID: 7))
    /// let load: @Sendable (Int) -> Future<Product> = chain(Endpoint.product, to: client.decoded)
    /// ```
    ///
    /// Observers hear of the call, and not of what becomes of the body.
    ///
    /// - Returns: A future that rejects as ``networking`` does, and with a `DecodingFailure`, which keeps the response
    ///   and its request, where the body is not such a value. Decoding runs on the thread that settles the call.
    @Sendable
    public func decoded<Value: Decodable & Sendable>(_ endpoint: Endpoint) -> Future<Value> {
        lazyFunctions.functions(of: self).accepted(endpoint).mapWithoutOrigin { [json] response in
            try json.decoder().decoded(Value.self, from: response.body, of: response)
        }
    }
}
