public import PledgeFutures

extension HTTPResponse {
    /// Decodes the body as JSON, if the status is in 200…299.
    ///
    /// - Parameter type: The type to decode; leave it out if Swift can infer it.
    /// - Throws: An ``HTTPError`` if the status is outside this range. A ``DecodingFailure`` if the body can't be
    ///   decoded; the failure keeps this response and its request.
    public func decoded<T: Decodable>(as type: T.Type = T.self) throws -> T {
        try decoded(as: T.self, using: json)
    }

    /// Decodes the body with these settings instead of the client's; see ``decoded(as:)``.
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

    /// Decodes the body as JSON, whatever the status; for example, to read a server's description of an error.
    ///
    /// - Parameter type: The type to decode; leave it out if Swift can infer it.
    /// - Throws: A ``DecodingFailure`` if the body can't be decoded; the failure keeps this response and its request.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self
    ) throws(DecodingFailure) -> T {
        try decodedBody(as: T.self, using: json)
    }

    /// Decodes the body, whatever the status, with these settings instead of the client's; see ``decodedBody(as:)``.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self, using json: JSONCoding
    ) throws(DecodingFailure) -> T {
        try decodedBody(as: T.self, using: json.decoder())
    }

    /// Decodes the body, whatever the status, with a decoder; see ``decodedBody(as:)``.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self, using decoder: JSONDecoder
    ) throws(DecodingFailure) -> T {
        try decoder.decoded(T.self, from: body, of: self)
    }
}

extension HTTPError {
    /// Decodes the response's body as JSON; for example, the list of invalid fields in a 422 response.
    ///
    /// ```swift
    /// let invalid: InvalidFields = try error.decodedBody()
    /// ```
    ///
    /// Decoding uses the settings of the client that sent the request.
    ///
    /// - Parameter type: The type to decode; leave it out if Swift can infer it.
    /// - Throws: A ``DecodingFailure`` if there was no response, or its body can't be decoded.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self
    ) throws(DecodingFailure) -> T {
        try decodedBody(as: T.self, using: request?.context.json ?? JSONCoding())
    }

    /// Decodes the response's body with these settings instead of the client's; see ``decodedBody(as:)``.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self, using json: JSONCoding
    ) throws(DecodingFailure) -> T {
        try decodedBody(as: T.self, using: json.decoder())
    }

    /// Decodes the response's body with a decoder; see ``decodedBody(as:)``.
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
    /// Decoding uses the settings of the client that sent the request.
    ///
    /// - Returns: A future that rejects with the errors that `HTTPResponse.decoded(as:)` throws. An error of
    ///   this future passes unchanged. Decoding runs on the thread that settles this future, in time linear in
    ///   the size of the body.
    @_disfavoredOverload  // `Future(error: …)` alone is a future of data.
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
    ///   - decoder: The decoder. Don't change it after this call, because another thread may be using it.
    @_disfavoredOverload
    public func decoded<T: Decodable & Sendable>(
        as type: T.Type, using decoder: JSONDecoder
    ) -> Future<T> {
        mapWithoutOrigin { try $0.decoded(as: T.self, using: decoder) }
    }

    /// Decodes the body with these settings instead of the client's; see `decoded()`.
    ///
    /// - Parameters:
    ///   - type: The type to decode; leave it out if Swift can infer it.
    ///   - json: The settings.
    @_disfavoredOverload
    public func decoded<T: Decodable & Sendable>(
        as type: T.Type = T.self, using json: JSONCoding
    ) -> Future<T> {
        mapWithoutOrigin { try $0.decoded(as: T.self, using: json) }
    }
}

extension Future where Value == Data {
    /// Decodes the data as JSON into the type that the context asks for.
    ///
    /// ```swift
    /// let product: Future<Product> = networking(.product(withID: 7)).decoded()
    /// ```
    ///
    /// Decoding uses the standard settings, because the data doesn't say which client loaded it. For a client's
    /// settings, use `client.decoded(_:)` or pass the settings. The method has no parameters, so that
    /// `chain(networking, to: Future.decoded)` infers the type.
    ///
    /// - Returns: A future that rejects with ``DecodingFailure`` if the data can't be decoded. An error of this
    ///   future passes unchanged. Decoding runs on the thread that settles this future, in time linear in the
    ///   size of the data.
    public func decoded<T: Decodable & Sendable>() -> Future<T> {
        decoded(as: T.self, using: JSONDecoder())
    }

    /// Decodes the data into a type with a decoder.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder. Don't change it after this call, because another thread may be using it.
    /// - Returns: A future that rejects with ``DecodingFailure`` if the data can't be decoded. An error of this
    ///   future passes unchanged. Decoding runs on the thread that settles this future, in time linear in the
    ///   size of the data.
    public func decoded<T: Decodable & Sendable>(
        as type: T.Type,
        using decoder: JSONDecoder = JSONDecoder()
    ) -> Future<T> {
        mapWithoutOrigin { try decoder.decoded(T.self, from: $0) }
    }

    /// Decodes the data with the given settings; see `decoded()`.
    ///
    /// - Parameters:
    ///   - type: The type to decode; leave it out if Swift can infer it.
    ///   - json: The settings.
    public func decoded<T: Decodable & Sendable>(
        as type: T.Type = T.self, using json: JSONCoding
    ) -> Future<T> {
        mapWithoutOrigin { try json.decoder().decoded(T.self, from: $0) }
    }

    /// A function that decodes data into a type, for `chain`.
    ///
    /// ```swift
    /// let loadProduct = chain(Endpoint.product, to: client.networking, to: Future.decoded(as: Product.self))
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - json: The settings, such as `client.json`.
    /// - Returns: A function that does the same as `decoded(as:using:)`.
    public static func decoded<T: Decodable & Sendable>(
        as type: T.Type, using json: JSONCoding = JSONCoding()
    ) -> @Sendable (Future<Data>) -> Future<T> {
        { data in data.decoded(as: T.self, using: json) }
    }
}

extension JSONDecoder {
    /// Decodes a body, or throws a failure that keeps the body and the response.
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

extension HTTPResponseHead {
    /// The settings of the client that sent the request; the standard settings without a client.
    package var json: JSONCoding { request?.context.json ?? JSONCoding() }
}
