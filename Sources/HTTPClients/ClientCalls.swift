import PledgeFutures
public import PledgeHTTPBodies
public import PledgeHTTPMessages
public import PledgeHTTPTransportKit

// Each method has two overloads: one returns a decoded value, and one the response. Those with a body have two more for
// a literal of mixed JSON. The time in which the compiler checks an expression depends on which overloads are
// disfavoured; see Docs/Decisions/HTTP/which-overloads-a-call-has.md.

extension HTTPClient {
    /// Sends a GET and decodes the response's body.
    ///
    /// ```swift
    /// let user: User = try await client.get("/users/\(id)")
    /// let user = try await client.get("/users/\(id)", as: User.self)
    /// ```
    ///
    /// The client decodes with its `json` settings, on the caller's actor. If the type is `Data`, the body is returned
    /// undecoded. If it is an optional, a 204 and an empty body give nil.
    ///
    /// - Parameters:
    ///   - path: The path below `base`, with or without a query. An interpolated value is encoded, so that it stays
    ///     within its path segment or query item.
    ///   - type: The type of the value; leave it out if Swift can infer it.
    ///   - query: A query to append to the path's own.
    ///   - headers: The headers of this request.
    ///   - timeout: The time limit of the whole call, instead of ``Settings/deadline``.
    ///   - context: Further properties of the call.
    ///   - isolation: The caller's actor; leave it out.
    /// - Returns: The decoded value.
    /// - Throws: An `HTTPError` if the exchange fails or the status isn't accepted, a `ServiceError` if a policy ends
    ///   the call, a `DecodingFailure`, an `Endpoint.Error` if the request can't be sent, or a `CancellationError`.
    @_disfavoredOverload
    public func get<Value: Decodable>(
        _ path: Endpoint.Path, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:], timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(
            of: await call(.get, path, query, headers, timeout, context).get())
    }

    /// Sends a GET and returns the response, which has an accepted status.
    @discardableResult
    public func get(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(.get, path, query, headers, timeout, context).get()
    }

    /// Unavailable: a path in a variable wouldn't say which parts of it are data.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func get(
        _ path: String, query: Endpoint.Query = [:], headers: HTTPHeaders = [:]
    ) -> Never { fatalError("unavailable") }

    /// Unavailable, like the method without a type.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func get<Value: Decodable>(
        _ path: String, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:], timeout: Duration? = nil,
        context: HTTPRequest.Context = .init()
    ) async throws -> Value { fatalError("unavailable") }
}

extension HTTPClient {
    /// Sends a DELETE and decodes the response's body, like `get`.
    @_disfavoredOverload
    public func delete<Value: Decodable>(
        _ path: Endpoint.Path, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:], timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(
            of: await call(.delete, path, query, headers, timeout, context).get())
    }

    /// Sends a DELETE and returns the response, which has an accepted status.
    @discardableResult
    public func delete(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(.delete, path, query, headers, timeout, context).get()
    }

    /// Unavailable: a path in a variable wouldn't say which parts of it are data.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func delete(
        _ path: String, query: Endpoint.Query = [:], headers: HTTPHeaders = [:]
    ) -> Never { fatalError("unavailable") }

    /// Unavailable, like the method without a type.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func delete<Value: Decodable>(
        _ path: String, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:], timeout: Duration? = nil,
        context: HTTPRequest.Context = .init()
    ) async throws -> Value { fatalError("unavailable") }
}

extension HTTPClient {
    /// Sends a POST and decodes the response's body.
    ///
    /// ```swift
    /// let order: Order = try await client.post("/orders", json: draft)
    /// let order: Order = try await client.post("/orders", json: ["product": 7, "on": Date.now])
    /// ```
    ///
    /// Pass at most one body: `json`, `form`, `multipart` or `file`. With several, the call fails with
    /// `Endpoint.Error.severalBodies`.
    ///
    /// The client decodes as `get` does.
    ///
    /// - Parameters:
    ///   - path: The path below `base`, with or without a query. An interpolated value is encoded, so that it stays
    ///     within its path segment or query item.
    ///   - type: The type of the value; leave it out if Swift can infer it.
    ///   - query: A query to append to the path's own.
    ///   - headers: The headers of this request.
    ///   - json: A value to send as JSON, encoded with the client's `json` settings.
    ///   - form: The fields of a form, sent as `application/x-www-form-urlencoded`.
    ///   - multipart: The parts of a multipart body, such as fields and files.
    ///   - file: A file to send, read while it is sent. Set its Content-Type in `headers`; the default is
    ///     `application/octet-stream`.
    ///   - timeout: The time limit of the whole call, instead of ``Settings/deadline``.
    ///   - context: Further properties of the call.
    ///   - progress: Called as in `HTTPRequest.Body.reportingProgress(to:)`, while the body is sent.
    ///   - isolation: The caller's actor; leave it out.
    /// - Returns: The decoded value.
    /// - Throws: The errors of `get`, and the encoder's errors.
    @_disfavoredOverload
    public func post<Value: Decodable>(
        _ path: Endpoint.Path, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(
            of: await call(
                .post, path, query, headers, timeout, context,
                CallBody(json, form, multipart, file), progress
            ).get())
    }

    /// Sends a POST and returns the response, which has an accepted status.
    @discardableResult
    public func post(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil,
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(
            .post, path, query, headers, timeout, context, CallBody(json, form, multipart, file),
            progress
        ).get()
    }

    /// Sends a POST with a JSON object and decodes the response's body, like `post`.
    @_disfavoredOverload
    public func post<Value: Decodable>(
        _ path: Endpoint.Path, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: JSONObject, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(
            of: await call(
                .post, path, query, headers, timeout, context, CallBody(json: json), progress
            ).get())
    }

    /// Sends a POST with a JSON object and returns the response, which has an accepted status.
    @discardableResult
    public func post(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: JSONObject,
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(
            .post, path, query, headers, timeout, context, CallBody(json: json), progress
        ).get()
    }

    /// Unavailable: a path in a variable wouldn't say which parts of it are data.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func post(
        _ path: String, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil
    ) -> HTTPResponse { fatalError("unavailable") }

    /// Unavailable, like the method without a type.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func post<Value: Decodable>(
        _ path: String, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init()
    ) async throws -> Value { fatalError("unavailable") }
}

extension HTTPClient {
    /// Sends a PUT and decodes the response's body, like `post`.
    @_disfavoredOverload
    public func put<Value: Decodable>(
        _ path: Endpoint.Path, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(
            of: await call(
                .put, path, query, headers, timeout, context, CallBody(json, form, multipart, file),
                progress
            ).get())
    }

    /// Sends a PUT and returns the response, which has an accepted status.
    @discardableResult
    public func put(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil,
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(
            .put, path, query, headers, timeout, context, CallBody(json, form, multipart, file),
            progress
        ).get()
    }

    /// Sends a PUT with a JSON object and decodes the response's body, like `post`.
    @_disfavoredOverload
    public func put<Value: Decodable>(
        _ path: Endpoint.Path, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: JSONObject, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(
            of: await call(
                .put, path, query, headers, timeout, context, CallBody(json: json), progress
            ).get())
    }

    /// Sends a PUT with a JSON object and returns the response, which has an accepted status.
    @discardableResult
    public func put(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: JSONObject,
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(
            .put, path, query, headers, timeout, context, CallBody(json: json), progress
        ).get()
    }

    /// Unavailable: a path in a variable wouldn't say which parts of it are data.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func put(
        _ path: String, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil
    ) -> Never { fatalError("unavailable") }

    /// Unavailable, like the method without a type.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func put<Value: Decodable>(
        _ path: String, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init()
    ) async throws -> Value { fatalError("unavailable") }
}

extension HTTPClient {
    /// Sends a PATCH and decodes the response's body, like `post`.
    @_disfavoredOverload
    public func patch<Value: Decodable>(
        _ path: Endpoint.Path, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(
            of: await call(
                .patch, path, query, headers, timeout, context,
                CallBody(json, form, multipart, file), progress
            ).get())
    }

    /// Sends a PATCH and returns the response, which has an accepted status.
    @discardableResult
    public func patch(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil,
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(
            .patch, path, query, headers, timeout, context, CallBody(json, form, multipart, file),
            progress
        ).get()
    }

    /// Sends a PATCH with a JSON object and decodes the response's body, like `post`.
    @_disfavoredOverload
    public func patch<Value: Decodable>(
        _ path: Endpoint.Path, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: JSONObject, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init(), progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(
            of: await call(
                .patch, path, query, headers, timeout, context, CallBody(json: json), progress
            ).get())
    }

    /// Sends a PATCH with a JSON object and returns the response, which has an accepted status.
    @discardableResult
    public func patch(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: JSONObject,
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        progress: HTTPProgress? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(
            .patch, path, query, headers, timeout, context, CallBody(json: json), progress
        ).get()
    }

    /// Unavailable: a path in a variable wouldn't say which parts of it are data.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func patch(
        _ path: String, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil
    ) -> Never { fatalError("unavailable") }

    /// Unavailable, like the method without a type.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func patch<Value: Decodable>(
        _ path: String, as type: Value.Type = Value.self, query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil, form: Endpoint.Query? = nil, multipart: Multipart? = nil,
        file: URL? = nil, timeout: Duration? = nil,
        context: HTTPRequest.Context = .init()
    ) async throws -> Value { fatalError("unavailable") }
}

extension HTTPClient {
    /// Sends a HEAD and returns the response, which has no body.
    @discardableResult
    public func head(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(.head, path, query, headers, timeout, context).get()
    }

    /// Unavailable: a path in a variable wouldn't say which parts of it are data.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func head(
        _ path: String, query: Endpoint.Query = [:], headers: HTTPHeaders = [:]
    ) -> Never { fatalError("unavailable") }
}

// MARK: - Implementation

/// The body of a call; at most one of its parts isn't nil.
struct CallBody {
    var json: (any Encodable)?
    var form: Endpoint.Query?
    var multipart: Multipart?
    var file: URL?

    init(json: (any Encodable)? = nil) { self.json = json }

    init(_ json: (any Encodable)?, _ form: Endpoint.Query?, _ multipart: Multipart?, _ file: URL?) {
        (self.json, self.form, self.multipart, self.file) = (json, form, multipart, file)
    }

    func encoded(using coding: JSONCoding) throws -> HTTPRequest.Body {
        let areThere = [json != nil, form != nil, multipart != nil, file != nil]
        if areThere.count(where: { $0 }) > 1 { throw Endpoint.Error.severalBodies }
        if let json { return try .json(json, using: coding) }
        if let form { return .form(form) }
        if let multipart { return try .multipart(multipart) }
        return file.map { .file($0) } ?? .none
    }
}

extension HTTPClient {
    /// Sends a call of one of the methods.
    func call(
        _ method: HTTPMethod, _ path: Endpoint.Path, _ query: Endpoint.Query,
        _ headers: HTTPHeaders, _ timeout: Duration?, _ context: HTTPRequest.Context,
        _ body: CallBody? = nil, _ progress: HTTPProgress? = nil
    ) -> Future<HTTPResponse> {
        var endpoint = Endpoint(method, path, query, headers, timeout, context)
        if let body {
            do { endpoint.body = try body.encoded(using: slots.json) } catch {
                return Future(error: error)
            }
            if let progress { endpoint.body = endpoint.body.reportingProgress(to: progress) }
        }
        return functions.sendEndpoint(endpoint)
    }
}

extension JSONCoding {
    /// Decodes an accepted response's body.
    ///
    /// - Returns: The body as it is if the type is `Data`; nil if the type is an optional and the body is empty.
    func value<Value: Decodable>(of response: HTTPResponse) throws -> Value {
        if !response.body.isEmpty || Value.self == Data.self, let body = response.body as? Value {
            return body
        }
        return try decoder().decoded(Value.self, from: response.body, of: response)
    }
}
