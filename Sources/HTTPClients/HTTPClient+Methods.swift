public import PledgeFutures
public import PledgeHTTPBodies
public import PledgeHTTPNetworking

// For each method: the response and a value, each awaited and as a future. Which of them the compiler disfavours decides
// how long it takes to check a chain of calls; see Docs/Decisions/which-overloads-a-call-has.md.

extension HTTPClient {
    /// Sends a GET, and decodes the body of the answer.
    ///
    /// ```swift
    /// let user: User = try await client.get("/users/\(id)")
    /// ```
    ///
    /// The client decodes with `json`, on the caller's actor. `Data` is the body itself.
    ///
    /// - Parameters:
    ///   - path: The path below `base`, and a query if it has one: literal text is structure, values are data.
    ///   - query: What is appended to the query.
    ///   - headers: The headers of this request.
    ///   - isolation: The caller's actor; leave it out.
    /// - Returns: The value.
    /// - Throws: What ``decoded(_:)`` rejects with: an `HTTPError` for a status that is not accepted, for example.
    @_disfavoredOverload
    public func get<Value: Decodable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try self.json.value(of: await call(.get, path, query, headers).value)
    }

    /// Sends a GET, and returns the response, whose status is accepted.
    @discardableResult
    public func get(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(.get, path, query, headers).value
    }

    /// Sends a GET, and returns a future of the body's value.
    public func get<Value: Decodable & Sendable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:]
    ) -> Future<Value> {
        decoded(call(.get, path, query, headers))
    }

    /// Sends a GET, and returns a future of the response, whose status is accepted.
    public func get<Response: WholeResponse>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:]
    ) -> Future<Response> {
        whole(call(.get, path, query, headers))
    }

    /// Not available: a path in a variable would not say what of it is data.
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
    /// Sends a DELETE, and decodes the body of the answer, as `get` does.
    @_disfavoredOverload
    public func delete<Value: Decodable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Value {
        try self.json.value(of: await call(.delete, path, query, headers).value)
    }

    /// Sends a DELETE, and returns the response, whose status is accepted.
    @discardableResult
    public func delete(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(.delete, path, query, headers).value
    }

    /// Sends a DELETE, and returns a future of the body's value.
    public func delete<Value: Decodable & Sendable>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:]
    ) -> Future<Value> {
        decoded(call(.delete, path, query, headers))
    }

    /// Sends a DELETE, and returns a future of the response, whose status is accepted.
    public func delete<Response: WholeResponse>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:]
    ) -> Future<Response> {
        whole(call(.delete, path, query, headers))
    }

    /// Not available: a path in a variable would not say what of it is data.
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
    /// Sends a POST, and decodes the body of the answer.
    ///
    /// ```swift
    /// let order: Order = try await client.post("/orders", json: draft)
    /// ```
    ///
    /// One of `json`, `form`, `multipart` and `file` is the body. With several the call fails with
    /// `Endpoint.Error.severalBodies`.
    ///
    /// The client decodes with `json`, on the caller's actor. `Data` is the body itself.
    ///
    /// - Parameters:
    ///   - path: The path below `base`, and a query if it has one: literal text is structure, values are data.
    ///   - query: What is appended to the query.
    ///   - headers: The headers of this request.
    ///   - json: A value that the client encodes with `json`.
    ///   - form: Fields of a form, `application/x-www-form-urlencoded`.
    ///   - multipart: Parts, such as fields and files.
    ///   - file: A file, which is read while it is sent. Set Content-Type in `headers`; without one it is
    ///     `application/octet-stream`.
    ///   - isolation: The caller's actor; leave it out.
    /// - Returns: The value.
    /// - Throws: What ``decoded(_:)`` rejects with, and what the encoder throws.
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
        try self.json.value(
            of: await call(.post, path, query, headers, json, form, multipart, file).value)
    }

    /// Sends a POST, and returns the response, whose status is accepted.
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
        try await call(.post, path, query, headers, json, form, multipart, file).value
    }

    /// Sends a POST, and returns a future of the body's value.
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

    /// Sends a POST, and returns a future of the response, whose status is accepted.
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

    /// Not available: a path in a variable would not say what of it is data.
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
    /// Sends a PUT, and decodes the body of the answer, as `post` does.
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
        try self.json.value(
            of: await call(.put, path, query, headers, json, form, multipart, file).value)
    }

    /// Sends a PUT, and returns the response, whose status is accepted.
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
        try await call(.put, path, query, headers, json, form, multipart, file).value
    }

    /// Sends a PUT, and returns a future of the body's value.
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

    /// Sends a PUT, and returns a future of the response, whose status is accepted.
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

    /// Not available: a path in a variable would not say what of it is data.
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
    /// Sends a PATCH, and decodes the body of the answer, as `post` does.
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
        try self.json.value(
            of: await call(.patch, path, query, headers, json, form, multipart, file).value)
    }

    /// Sends a PATCH, and returns the response, whose status is accepted.
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
        try await call(.patch, path, query, headers, json, form, multipart, file).value
    }

    /// Sends a PATCH, and returns a future of the body's value.
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

    /// Sends a PATCH, and returns a future of the response, whose status is accepted.
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

    /// Not available: a path in a variable would not say what of it is data.
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
    /// Sends a HEAD, and returns the response, which has no body.
    @discardableResult
    public func head(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:],
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> HTTPResponse {
        try await call(.head, path, query, headers).value
    }

    /// Sends a HEAD, and returns a future of the response, which has no body.
    public func head<Response: WholeResponse>(
        _ path: Endpoint.Path,
        query: Endpoint.Query = [:],
        headers: HTTPHeaders = [:]
    ) -> Future<Response> {
        whole(call(.head, path, query, headers))
    }

    /// Not available: a path in a variable would not say what of it is data.
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

// MARK: - What they stand on

/// A response whose body is in memory: `HTTPResponse`, and no other.
///
/// A future of the response is returned as a future of this, so that Swift takes one only where a future is asked for. If a
/// call could always be a `Future<HTTPResponse>`, `try await client.delete("/x")` at the top level of a `main.swift` would
/// be one, which nobody awaits.
public protocol WholeResponse: Sendable {
    /// Makes it of a response.
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
            if let json { endpoint.body = try .json(json, using: self.json) }
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
        response.mapWithoutOrigin { [json] in try json.value(of: $0) }
    }

    private func whole<Response: WholeResponse>(
        _ response: Future<HTTPResponse>
    ) -> Future<Response> {
        response as? Future<Response> ?? response.mapWithoutOrigin(Response.init)
    }
}

extension JSONCoding {
    /// The value of an accepted response; for `Data` the body itself.
    func value<Value: Decodable>(of response: HTTPResponse) throws -> Value {
        if let body = response.body as? Value { return body }
        return try decoder().decoded(Value.self, from: response.body, of: response)
    }
}
