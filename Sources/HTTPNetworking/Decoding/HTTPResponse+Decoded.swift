public import PledgeFutures

extension HTTPResponse {
    /// Decodes the body as JSON, if the status is in 200…299.
    ///
    /// - Parameter type: The type to decode; the context's without one.
    /// - Throws: An ``HTTPError`` for another status, and ``DecodingFailure``, which keeps this response and
    ///   its request, if the body is not such a value.
    public func decoded<T: Decodable>(as type: T.Type = T.self) throws -> T {
        try decoded(as: T.self, using: json)
    }

    /// Decodes the body with other settings than those of the client; see ``decoded(as:)``.
    public func decoded<T: Decodable>(as type: T.Type = T.self, using json: JSONCoding) throws -> T
    {
        try decoded(as: T.self, using: json.decoder())
    }

    /// Decodes the body with a decoder; see ``decoded(as:)``.
    public func decoded<T: Decodable>(
        as type: T.Type = T.self, using decoder: JSONDecoder
    ) throws -> T {
        try decoder.decoded(T.self, from: acceptedBody(), of: self)
    }

    /// Decodes the body as JSON, whatever the status: what a server writes about an error, for example.
    ///
    /// - Parameter type: The type to decode; the context's without one.
    /// - Throws: ``DecodingFailure``, which keeps this response and its request, where the body is not such a value.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self
    ) throws(DecodingFailure) -> T {
        try decodedBody(as: T.self, using: json)
    }

    /// Decodes the body of any status with other settings than those of the client; see ``decodedBody(as:)``.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self, using json: JSONCoding
    ) throws(DecodingFailure) -> T {
        try decodedBody(as: T.self, using: json.decoder())
    }

    /// Decodes the body of any status with a decoder; see ``decodedBody(as:)``.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self, using decoder: JSONDecoder
    ) throws(DecodingFailure) -> T {
        try decoder.decoded(T.self, from: body, of: self)
    }
}

extension HTTPResponseHead {
    /// The settings of the client that has sent the request; the standard ones if there is none.
    package var json: JSONCoding { request?.context.json ?? JSONCoding() }
}

extension HTTPError {
    /// Decodes the body of the answer as JSON, such as that of a 422 which says what is wrong.
    ///
    /// ```swift
    /// let invalid: InvalidFields = try error.decodedBody()
    /// ```
    ///
    /// The settings are those of the client that has sent the request.
    ///
    /// - Parameter type: The type to decode; the context's without one.
    /// - Throws: ``DecodingFailure`` where there was no answer, and where its body is not such a value.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self
    ) throws(DecodingFailure) -> T {
        try decodedBody(as: T.self, using: request?.context.json ?? JSONCoding())
    }

    /// Decodes the body of the answer with other settings than those of the client; see ``decodedBody(as:)``.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self, using json: JSONCoding
    ) throws(DecodingFailure) -> T {
        try decodedBody(as: T.self, using: json.decoder())
    }

    /// Decodes the body of the answer with a decoder; see ``decodedBody(as:)``.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self, using decoder: JSONDecoder
    ) throws(DecodingFailure) -> T {
        try decoder.decoded(T.self, from: body, of: response)
    }
}

extension Future where Value == HTTPResponse {
    /// Decodes the body as JSON into the type that the context asks for.
    ///
    /// ```swift
    /// let product: Future<Product> = client.send(request).decoded()
    /// ```
    ///
    /// The settings are those of the client that has sent the request.
    ///
    /// - Returns: A future that rejects as `HTTPResponse.decoded(as:)` throws; an error of this
    ///   future passes unchanged. Decoding runs on the thread that settles this future, in time linear
    ///   in the size of the body.
    @_disfavoredOverload  // A future of nothing but an error, `Future(error: …)`, is one of data.
    public func decoded<T: Decodable & Sendable>() -> Future<T> {
        mapWithoutOrigin { try $0.decoded() }
    }

    /// Decodes the body into a type; see `decoded()`.
    @_disfavoredOverload
    public func decoded<T: Decodable & Sendable>(as type: T.Type) -> Future<T> {
        mapWithoutOrigin { try $0.decoded() }
    }

    /// Decodes the body into a type with a decoder; see `decoded()`.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder. It is shared, so do not change it afterwards.
    @_disfavoredOverload
    public func decoded<T: Decodable & Sendable>(
        as type: T.Type, using decoder: JSONDecoder
    ) -> Future<T> {
        mapWithoutOrigin { try $0.decoded(as: T.self, using: decoder) }
    }

    /// Decodes the body with other settings than those of the client; see `decoded()`.
    ///
    /// - Parameters:
    ///   - type: The type to decode; the context's without one.
    ///   - json: The settings.
    @_disfavoredOverload
    public func decoded<T: Decodable & Sendable>(
        as type: T.Type = T.self, using json: JSONCoding
    ) -> Future<T> {
        mapWithoutOrigin { try $0.decoded(as: T.self, using: json) }
    }
}

extension JSONDecoder {
    /// Decodes a body, or throws a failure that keeps it.
    package func decoded<T: Decodable>(
        _ type: T.Type, from data: Data, of response: HTTPResponse? = nil
    ) throws(DecodingFailure) -> T {
        do {
            return try decode(T.self, from: data)
        } catch {
            throw DecodingFailure(type: T.self, data: data, cause: error, response: response)
        }
    }
}
