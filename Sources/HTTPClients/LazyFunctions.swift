public import PledgeFutures
public import PledgeHTTPNetworking
import PledgeServices

/// The functions of a client, put together when they are first used.
final class LazyFunctions: Sendable {
    struct Functions: Sendable {
        let send: HTTPService
        let stream: HTTPStreamingService
        let sendEndpoint: @Sendable (Endpoint, HTTPRequest.Body?) -> Future<HTTPResponse>
        let streamEndpoint: @Sendable (Endpoint, HTTPRequest.Body?) -> Future<HTTPStreamedResponse>
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
        send = client.using(client.wholeStack(sharing: shared)(transport.send))
        stream = client.using(client.streamingStack(sharing: shared)(transport.stream))
        let sendEndpoint = endpointService(over: send, base: client.base)
        self.sendEndpoint = sendEndpoint
        networking = { endpoint in sendEndpoint(endpoint, nil).mapWithoutOrigin { $0.body } }
        streamEndpoint = endpointService(over: stream, base: client.base)
    }
}

extension HTTPClient {
    /// A service whose requests and answers have the client's JSON settings.
    fileprivate func using<Output>(
        _ service: @escaping Service<HTTPRequest, Output>
    ) -> Service<HTTPRequest, Output> {
        if json.isStandard { return service }
        return { [json] request in
            do {
                return service(try request.using(json))
            } catch {
                return Future(error: error)
            }
        }
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
    /// A status outside ``acceptedStatuses`` is an error, as on every way through the client. A request for another origin than
    /// the base's has neither ``headers`` nor credentials.
    public var send: HTTPService { lazyFunctions.functions(of: self).send }

    /// Sends a request, and returns a future that settles when the headers of the response have arrived.
    ///
    /// As ``send``, but without the cache. A failure after the headers fails the body; the request is not
    /// repeated.
    public var stream: HTTPStreamingService { lazyFunctions.functions(of: self).stream }

    /// Sends an endpoint's request, which is resolved against ``base``, and returns a future of the whole response.
    ///
    /// ```swift
    /// let response = try await client.send(Endpoint(path: "/products")).value
    /// print(response.headers["X-RateLimit-Remaining"] ?? "")
    /// ```
    ///
    /// - Returns: A future that rejects as that of a request does, and with `Endpoint.Error` if the endpoint cannot be sent.
    public func send(_ endpoint: Endpoint) -> Future<HTTPResponse> { send(endpoint, nil) }

    /// Sends an endpoint's request, which is resolved against ``base``, and returns a future that settles when the headers
    /// of the response have arrived.
    ///
    /// - Returns: A future that rejects as that of a request does, and with `Endpoint.Error` if the endpoint cannot be sent.
    public func stream(_ endpoint: Endpoint) -> Future<HTTPStreamedResponse> {
        lazyFunctions.functions(of: self).streamEndpoint(endpoint, nil)
    }

    /// Asks for an endpoint, and returns a future of the body.
    ///
    /// As `send` with an endpoint, for code that takes a `Networking`. Data knows no settings: to decode it with
    /// ``json``, pass them, `decoded(using: client.json)`, or call ``decoded(_:)``.
    public var networking: Networking { lazyFunctions.functions(of: self).networking }

    /// Asks for an endpoint, with another body in place of its own unless that is nil.
    func send(_ endpoint: Endpoint, _ body: HTTPRequest.Body?) -> Future<HTTPResponse> {
        lazyFunctions.functions(of: self).sendEndpoint(endpoint, body)
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
        send(endpoint).mapWithoutOrigin { [json] in try json.value(of: $0) }
    }

    /// Asks for an endpoint, and decodes the accepted body as JSON with ``json``, on the caller's actor.
    ///
    /// ```swift
    /// let product: Product = try await client.decoded(.product(withID: 7))
    /// ```
    ///
    /// - Throws: What the future of ``decoded(_:)`` rejects with.
    @_disfavoredOverload
    public func decoded<Value: Decodable>(
        _ endpoint: Endpoint, isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try json.value(of: await send(endpoint).value)
    }
}
