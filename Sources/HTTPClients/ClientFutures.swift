public import PledgeFutures
public import PledgeHTTPBodies
public import PledgeHTTPMessages
public import PledgeHTTPTransportKit

extension HTTPClient {
    /// The same calls, each as a future.
    ///
    /// ```swift
    /// let product = client.futures.get("/products/7", as: Product.self)
    /// let api = stack(.coalesceSafeRequests(), over: client.futures.send)
    /// ```
    ///
    /// A call's future settles on the thread where its answer arrives, and rejects with the errors that the awaited call
    /// throws. Cancelling the future cancels the call.
    public var futures: Futures { Futures(client: self) }

    /// A client's calls as futures; see ``HTTPClient/futures``.
    ///
    /// It holds a copy of the client. A function that you take from it, such as `send`, uses the client's present
    /// parts at each call.
    public struct Futures: Sendable {
        package let client: HTTPClient

        func decoded<Value: Decodable & Sendable>(
            _ response: Future<HTTPResponse>
        ) -> Future<Value> {
            response.mapWithoutOrigin { [json = client.slots.json] in try json.value(of: $0) }
        }
    }
}

extension HTTPClient.Futures {
    /// Sends a request, and returns a future of the whole response.
    public var send: HTTPService { client.functions.send }

    /// Sends a request, and returns a future that settles when the response's headers arrive.
    public var stream: HTTPStreamingService { client.functions.stream }

    /// Sends an endpoint's request, resolved against the client's base, and returns a future of the whole response.
    public func send(_ endpoint: Endpoint) -> Future<HTTPResponse> {
        client.functions.sendEndpoint(endpoint)
    }

    /// Sends a request, and returns a future of the decoded body.
    public func send<Value: Decodable & Sendable>(
        _ request: HTTPRequest, as type: Value.Type
    ) -> Future<Value> { decoded(send(request)) }

    /// Sends an endpoint's request, and returns a future of the decoded body.
    public func send<Value: Decodable & Sendable>(
        _ endpoint: Endpoint, as type: Value.Type
    ) -> Future<Value> { decoded(send(endpoint)) }

    /// Sends an endpoint's request, and returns a future that settles when the response's headers arrive.
    public func stream(_ endpoint: Endpoint) -> Future<HTTPStreamedResponse> {
        client.functions.streamEndpoint(endpoint)
    }

    /// Sends a GET, and returns a future that settles when the response's headers arrive.
    public func stream(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init()
    ) -> Future<HTTPStreamedResponse> {
        stream(Endpoint(.get, path, query, headers, timeout, context))
    }
}

extension HTTPClient.Futures {
    /// Sends a GET and returns a future of the decoded body.
    public func get<Value: Decodable & Sendable>(
        _ path: Endpoint.Path, as type: Value.Type, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:], timeout: Duration? = nil, context: HTTPRequest.Context = .init()
    ) -> Future<Value> {
        decoded(get(path, query: query, headers: headers, timeout: timeout, context: context))
    }

    /// Sends a GET and returns a future of the response.
    public func get(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init()
    ) -> Future<HTTPResponse> {
        client.call(.get, path, query, headers, timeout, context)
    }
}

extension HTTPClient.Futures {
    /// Sends a DELETE and returns a future of the decoded body.
    public func delete<Value: Decodable & Sendable>(
        _ path: Endpoint.Path, as type: Value.Type, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:], timeout: Duration? = nil, context: HTTPRequest.Context = .init()
    ) -> Future<Value> {
        decoded(delete(path, query: query, headers: headers, timeout: timeout, context: context))
    }

    /// Sends a DELETE and returns a future of the response.
    public func delete(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init()
    ) -> Future<HTTPResponse> {
        client.call(.delete, path, query, headers, timeout, context)
    }
}

extension HTTPClient.Futures {
    /// Sends a POST and returns a future of the decoded body.
    public func post<Value: Decodable & Sendable>(
        _ path: Endpoint.Path, as type: Value.Type, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), progress: HTTPProgress? = nil
    ) -> Future<Value> {
        decoded(
            client.call(
                .post, path, query, headers, timeout, context,
                CallBody(json, form, multipart, file), progress))
    }

    /// Sends a POST and returns a future of the response.
    public func post(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil,
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        progress: HTTPProgress? = nil
    ) -> Future<HTTPResponse> {
        client.call(
            .post, path, query, headers, timeout, context, CallBody(json, form, multipart, file),
            progress)
    }

    /// Sends a POST with a JSON object and returns a future of the decoded body.
    public func post<Value: Decodable & Sendable>(
        _ path: Endpoint.Path, as type: Value.Type, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: JSONObject, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), progress: HTTPProgress? = nil
    ) -> Future<Value> {
        decoded(
            client.call(
                .post, path, query, headers, timeout, context, CallBody(json: json), progress))
    }

    /// Sends a POST with a JSON object and returns a future of the response.
    public func post(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: JSONObject,
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        progress: HTTPProgress? = nil
    ) -> Future<HTTPResponse> {
        client.call(
            .post, path, query, headers, timeout, context, CallBody(json: json), progress)
    }
}

extension HTTPClient.Futures {
    /// Sends a PUT and returns a future of the decoded body.
    public func put<Value: Decodable & Sendable>(
        _ path: Endpoint.Path, as type: Value.Type, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), progress: HTTPProgress? = nil
    ) -> Future<Value> {
        decoded(
            client.call(
                .put, path, query, headers, timeout, context, CallBody(json, form, multipart, file),
                progress))
    }

    /// Sends a PUT and returns a future of the response.
    public func put(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil,
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        progress: HTTPProgress? = nil
    ) -> Future<HTTPResponse> {
        client.call(
            .put, path, query, headers, timeout, context, CallBody(json, form, multipart, file),
            progress)
    }

    /// Sends a PUT with a JSON object and returns a future of the decoded body.
    public func put<Value: Decodable & Sendable>(
        _ path: Endpoint.Path, as type: Value.Type, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: JSONObject, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), progress: HTTPProgress? = nil
    ) -> Future<Value> {
        decoded(
            client.call(
                .put, path, query, headers, timeout, context, CallBody(json: json), progress))
    }

    /// Sends a PUT with a JSON object and returns a future of the response.
    public func put(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: JSONObject,
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        progress: HTTPProgress? = nil
    ) -> Future<HTTPResponse> {
        client.call(
            .put, path, query, headers, timeout, context, CallBody(json: json), progress)
    }
}

extension HTTPClient.Futures {
    /// Sends a PATCH and returns a future of the decoded body.
    public func patch<Value: Decodable & Sendable>(
        _ path: Endpoint.Path, as type: Value.Type, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), progress: HTTPProgress? = nil
    ) -> Future<Value> {
        decoded(
            client.call(
                .patch, path, query, headers, timeout, context,
                CallBody(json, form, multipart, file), progress))
    }

    /// Sends a PATCH and returns a future of the response.
    public func patch(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil,
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        progress: HTTPProgress? = nil
    ) -> Future<HTTPResponse> {
        client.call(
            .patch, path, query, headers, timeout, context, CallBody(json, form, multipart, file),
            progress)
    }

    /// Sends a PATCH with a JSON object and returns a future of the decoded body.
    public func patch<Value: Decodable & Sendable>(
        _ path: Endpoint.Path, as type: Value.Type, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: JSONObject, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), progress: HTTPProgress? = nil
    ) -> Future<Value> {
        decoded(
            client.call(
                .patch, path, query, headers, timeout, context, CallBody(json: json), progress))
    }

    /// Sends a PATCH with a JSON object and returns a future of the response.
    public func patch(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: JSONObject,
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        progress: HTTPProgress? = nil
    ) -> Future<HTTPResponse> {
        client.call(
            .patch, path, query, headers, timeout, context, CallBody(json: json), progress)
    }
}

extension HTTPClient.Futures {
    /// Sends a HEAD and returns a future of the response.
    public func head(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init()
    ) -> Future<HTTPResponse> {
        client.call(.head, path, query, headers, timeout, context)
    }
}
