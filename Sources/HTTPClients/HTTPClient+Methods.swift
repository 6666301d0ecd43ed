public import PledgeFutures
public import PledgeHTTPBodies
public import PledgeHTTPMessages

// Each method has four overloads. Two of them return the response, and two return a decoded value. In each pair, one is
// awaited, and the other returns a future. The time in which the compiler checks a chain of calls depends on which
// overloads are disfavoured; see Docs/Decisions/HTTP/which-overloads-a-call-has.md.

extension HTTPClient {
    /// Sends a GET and decodes the response's body.
    ///
    /// ```swift
    /// let user: User = try await client.get("/users/\(id)")
    /// ```
    ///
    /// The client decodes with its `json` settings, on the caller's actor. If the value's type is `Data`,
    /// the body is returned undecoded.
    ///
    /// - Parameters:
    ///   - path: The path below `base`, with or without a query. An interpolated value is encoded, so that it stays
    ///     within its path segment or query item.
    ///   - query: Items to append to the query.
    ///   - headers: The headers of this request.
    ///   - isolation: The caller's actor; leave it out.
    /// - Returns: The decoded value.
    /// - Throws: The errors that ``decoded(_:)`` rejects with, such as an `HTTPError` for a status that isn't accepted.
    @_disfavoredOverload
    public func get<Value: Decodable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(of: await call(.get, path, query, headers).get())
    }

    /// Sends a GET and returns the response, which has an accepted status.
    @discardableResult
    public func get(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(.get, path, query, headers).get()
    }

    /// Sends a GET and returns a future of the decoded body.
    public func get<Value: Decodable & Sendable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:]
    ) -> Future<Value> {
        decoded(call(.get, path, query, headers))
    }

    /// Sends a GET and returns a future of the response, which has an accepted status.
    public func get<Response: WholeResponse>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:]
    ) -> Future<Response> {
        whole(call(.get, path, query, headers))
    }

    /// Unavailable: a path in a variable wouldn't say which parts of it are data.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func get(
        _ path: String,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:]
    ) -> Never { fatalError("unavailable") }
}

extension HTTPClient {
    /// Sends a DELETE and decodes the response's body, like `get`.
    @_disfavoredOverload
    public func delete<Value: Decodable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(of: await call(.delete, path, query, headers).get())
    }

    /// Sends a DELETE and returns the response, which has an accepted status.
    @discardableResult
    public func delete(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(.delete, path, query, headers).get()
    }

    /// Sends a DELETE and returns a future of the decoded body.
    public func delete<Value: Decodable & Sendable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:]
    ) -> Future<Value> {
        decoded(call(.delete, path, query, headers))
    }

    /// Sends a DELETE and returns a future of the response, which has an accepted status.
    public func delete<Response: WholeResponse>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:]
    ) -> Future<Response> {
        whole(call(.delete, path, query, headers))
    }

    /// Unavailable: a path in a variable wouldn't say which parts of it are data.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func delete(
        _ path: String,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:]
    ) -> Never { fatalError("unavailable") }
}

extension HTTPClient {
    /// Sends a POST and decodes the response's body.
    ///
    /// ```swift
    /// let order: Order = try await client.post("/orders", json: draft)
    /// ```
    ///
    /// Pass at most one body: `json`, `form`, `multipart` or `file`. With several, the call fails with
    /// `Endpoint.Error.severalBodies`.
    ///
    /// The client decodes with its `json` settings, on the caller's actor. If the value's type is `Data`,
    /// the body is returned undecoded.
    ///
    /// - Parameters:
    ///   - path: The path below `base`, with or without a query. An interpolated value is encoded, so that it stays
    ///     within its path segment or query item.
    ///   - query: Items to append to the query.
    ///   - headers: The headers of this request.
    ///   - json: A value to send as JSON, encoded with the client's `json` settings.
    ///   - form: The fields of a form, sent as `application/x-www-form-urlencoded`.
    ///   - multipart: The parts of a multipart body, such as fields and files.
    ///   - file: A file to send, read while it is sent. Set its Content-Type in `headers`; the default is
    ///     `application/octet-stream`.
    ///   - isolation: The caller's actor; leave it out.
    /// - Returns: The decoded value.
    /// - Throws: The errors that ``decoded(_:)`` rejects with, and the encoder's errors.
    @_disfavoredOverload
    public func post<Value: Decodable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(
            of: await call(.post, path, query, headers, json, form, multipart, file).get())
    }

    /// Sends a POST and returns the response, which has an accepted status.
    @discardableResult
    public func post(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(.post, path, query, headers, json, form, multipart, file).get()
    }

    /// Sends a POST and returns a future of the decoded body.
    public func post<Value: Decodable & Sendable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil
    ) -> Future<Value> {
        decoded(call(.post, path, query, headers, json, form, multipart, file))
    }

    /// Sends a POST and returns a future of the response, which has an accepted status.
    public func post<Response: WholeResponse>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil
    ) -> Future<Response> {
        whole(call(.post, path, query, headers, json, form, multipart, file))
    }

    /// Unavailable: a path in a variable wouldn't say which parts of it are data.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func post(
        _ path: String,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil
    ) -> Never { fatalError("unavailable") }
}

extension HTTPClient {
    /// Sends a PUT and decodes the response's body, like `post`.
    @_disfavoredOverload
    public func put<Value: Decodable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(
            of: await call(.put, path, query, headers, json, form, multipart, file).get())
    }

    /// Sends a PUT and returns the response, which has an accepted status.
    @discardableResult
    public func put(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(.put, path, query, headers, json, form, multipart, file).get()
    }

    /// Sends a PUT and returns a future of the decoded body.
    public func put<Value: Decodable & Sendable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil
    ) -> Future<Value> {
        decoded(call(.put, path, query, headers, json, form, multipart, file))
    }

    /// Sends a PUT and returns a future of the response, which has an accepted status.
    public func put<Response: WholeResponse>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil
    ) -> Future<Response> {
        whole(call(.put, path, query, headers, json, form, multipart, file))
    }

    /// Unavailable: a path in a variable wouldn't say which parts of it are data.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func put(
        _ path: String,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil
    ) -> Never { fatalError("unavailable") }
}

extension HTTPClient {
    /// Sends a PATCH and decodes the response's body, like `post`.
    @_disfavoredOverload
    public func patch<Value: Decodable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try slots.json.value(
            of: await call(.patch, path, query, headers, json, form, multipart, file).get())
    }

    /// Sends a PATCH and returns the response, which has an accepted status.
    @discardableResult
    public func patch(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(.patch, path, query, headers, json, form, multipart, file).get()
    }

    /// Sends a PATCH and returns a future of the decoded body.
    public func patch<Value: Decodable & Sendable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil
    ) -> Future<Value> {
        decoded(call(.patch, path, query, headers, json, form, multipart, file))
    }

    /// Sends a PATCH and returns a future of the response, which has an accepted status.
    public func patch<Response: WholeResponse>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil
    ) -> Future<Response> {
        whole(call(.patch, path, query, headers, json, form, multipart, file))
    }

    /// Unavailable: a path in a variable wouldn't say which parts of it are data.
    @available(
        *, unavailable,
        message:
            "a path is an Endpoint.Path without optionals; in a wrapper, write `_ path: Endpoint.Path`"
    )
    @_disfavoredOverload
    public func patch(
        _ path: String,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        json: (any Encodable)? = nil,
        form: Endpoint.Query? = nil,
        multipart: Multipart? = nil,
        file: URL? = nil
    ) -> Never { fatalError("unavailable") }
}

extension HTTPClient {
    /// Sends a HEAD and returns the response, which has no body.
    @discardableResult
    public func head(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(.head, path, query, headers).get()
    }

    /// Sends a HEAD and returns a future of the response, which has no body.
    public func head<Response: WholeResponse>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:]
    ) -> Future<Response> {
        whole(call(.head, path, query, headers))
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

/// A response with its body in memory; `HTTPResponse` is the only type that conforms.
///
/// The overloads that return a future are generic over this protocol, so that Swift chooses them only where the code
/// asks for a future. If they returned `Future<HTTPResponse>`, Swift would choose one of them for
/// `try await client.delete("/x")` at the top level of a `main.swift`, and the future would never be awaited.
public protocol WholeResponse: Sendable {
    /// Creates a value from a response.
    init(_ response: HTTPResponse)
}

extension HTTPResponse: WholeResponse {
    /// The same response.
    public init(_ response: HTTPResponse) { self = response }
}

extension HTTPClient {
    private func call(
        _ method: HTTPMethod, _ path: Endpoint.Path, _ query: Endpoint.Query,
        _ headers: HTTPHeaders
    ) -> Future<HTTPResponse> {
        send(Endpoint(path: path, queryItems: query.items, method: method, headers: headers))
    }

    private func call(
        _ method: HTTPMethod, _ path: Endpoint.Path, _ query: Endpoint.Query,
        _ headers: HTTPHeaders, _ json: (any Encodable)?, _ form: Endpoint.Query?,
        _ multipart: Multipart?, _ file: URL?
    ) -> Future<HTTPResponse> {
        let areThere = [json != nil, form != nil, multipart != nil, file != nil]
        guard areThere.count(where: { $0 }) <= 1 else {
            return Future(error: Endpoint.Error.severalBodies)
        }
        var endpoint = Endpoint(
            path: path, queryItems: query.items, method: method, headers: headers)
        do {
            if let json { endpoint.body = try .json(json, using: slots.json) }
            if let form { endpoint.body = .form(form.items) }
            if let multipart { return send(endpoint, try .multipart(multipart)) }
            return send(endpoint, file.map { .file($0) })
        } catch {
            return Future(error: error)
        }
    }

    private func decoded<Value: Decodable & Sendable>(
        _ response: Future<HTTPResponse>
    ) -> Future<Value> {
        response.mapWithoutOrigin { [json = slots.json] in try json.value(of: $0) }
    }

    private func whole<Response: WholeResponse>(
        _ response: Future<HTTPResponse>
    ) -> Future<Response> {
        response as? Future<Response> ?? response.mapWithoutOrigin(Response.init)
    }
}

extension JSONCoding {
    /// Decodes an accepted response's body; if the value's type is `Data`, returns the body as it is.
    func value<Value: Decodable>(of response: HTTPResponse) throws -> Value {
        if let body = response.body as? Value { return body }
        return try decoder().decoded(Value.self, from: response.body, of: response)
    }
}
