public import Futures
public import HTTPNetworking
import Services

/// The functions of a client, put together when they are first used.
final class LazyFunctions: Sendable {
    struct Functions: Sendable {
        let send: HTTPService
        let stream: HTTPStreamingService
        let accepted: @Sendable (Endpoint, HTTPRequest.Body?) -> Future<HTTPResponse>
        let networking: Networking
    }

    private let made = Locked<Functions?>(nil)

    /// The functions of a client, which has the slots that this object was made for.
    func functions(of client: HTTPClient) -> Functions {
        if let functions = made.withLock({ $0 }) { return functions }
        let functions = Functions(client)
        // If another thread was first, all use its functions, and so share its budget and its breakers.
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
        shared.watchAll()
        let transport = client.transportOnItsClock
        stream = client.streamingStack(sharing: shared)(transport.stream)
        // Statuses are checked beneath the observers, so that these count what the caller gets: only the parts above
        // differ between the functions.
        let places = StackPlace.allCases.split(after: .acceptStatus)
        let beneath = client.wholeStack(of: places.beneath, sharing: shared)(transport.send)
        let above = { client.wholeStack(of: places.above, sharing: shared, accepting: $0)(beneath) }
        let send = above(client.acceptedStatuses)
        self.send = send
        let accepting = client.acceptedStatuses == nil ? above(200...299) : send
        networking = makeNetworking(
            over: accepting, base: client.base, accepting: Int.min...Int.max)
        accepted = lowering(
            to: accepting, base: client.base, accepting: Int.min...Int.max
        ) { $0 }
    }
}

extension [StackPlace] {
    /// The places down to one, and those beneath it.
    fileprivate func split(
        after place: StackPlace
    ) -> (above: ArraySlice<StackPlace>, beneath: ArraySlice<StackPlace>) {
        let end = firstIndex(of: place).map { $0 + 1 } ?? endIndex
        return (self[..<end], self[end...])
    }
}

extension HTTPClient {
    fileprivate var transportOnItsClock: any HTTPTransport {
        guard var function = transport as? FunctionTransport else { return transport }
        function.scheduler = scheduler
        return function
    }

    /// Sends a request, and returns a future of the whole response.
    ///
    /// ``acceptedStatuses`` defines which statuses become errors. A request for another origin than
    /// the base's has neither ``headers`` nor credentials.
    public var send: HTTPService { lazyFunctions.functions(of: self).send }

    /// Sends a request, and returns a future that settles when the headers of the response have arrived.
    ///
    /// As ``send``, but without the cache. A failure after the headers fails the body; the request is not
    /// repeated.
    public var stream: HTTPStreamingService { lazyFunctions.functions(of: self).stream }

    /// Asks for an endpoint, and returns a future of the accepted body.
    ///
    /// As `makeNetworking(over:base:accepting:)` over ``send``, with ``base`` and ``acceptedStatuses``, or 200…299.
    public var networking: Networking { lazyFunctions.functions(of: self).networking }

    /// Asks for an endpoint, and returns the accepted response.
    ///
    /// - Parameter body: A body that an endpoint can't have; nil for the endpoint's own.
    func accepted(
        _ endpoint: Endpoint, sending body: HTTPRequest.Body? = nil
    ) -> Future<HTTPResponse> {
        lazyFunctions.functions(of: self).accepted(endpoint, body)
    }

    /// Asks for an endpoint, and decodes the accepted body as JSON with ``json``.
    ///
    /// ```swift
    /// let product: Future<Product> = client.decoded(.product(withID: 7))
    /// let load: @Sendable (Int) -> Future<Product> = chain(Endpoint.product, to: client.decoded)
    /// ```
    ///
    /// Observers are notified of the call, but not of the decoding.
    ///
    /// - Returns: A future that rejects as ``networking`` does. If the body is not such a value, it rejects
    ///   with a `DecodingFailure`, which keeps the response and its request. Decoding runs on the thread that
    ///   settles the call.
    @Sendable
    public func decoded<Value: Decodable & Sendable>(_ endpoint: Endpoint) -> Future<Value> {
        accepted(endpoint).mapWithoutOrigin { [json] response in
            try json.decoder().decoded(Value.self, from: response.body, of: response)
        }
    }
}
