public import PledgeFutures

extension HTTPResponse {
    /// Decodes the body as JSON, if the status is in 200…299.
    ///
    /// - Parameters:
    ///   - type: The type to decode; leave it out if Swift can infer it.
    ///   - json: The settings; with nil, those of the client that sent the request.
    /// - Throws: An ``HTTPError`` if the status is outside this range. A ``DecodingFailure`` if the body can't be
    ///   decoded; the failure keeps this response and its request.
    public func decoded<T: Decodable>(
        as type: T.Type = T.self, using json: JSONCoding? = nil
    ) throws -> T {
        try (json ?? self.json).decoder().decoded(T.self, from: acceptedBody(), of: self)
    }

    /// Decodes the body as JSON, whatever the status; for example, to read a server's description of an error.
    ///
    /// - Parameters:
    ///   - type: The type to decode; leave it out if Swift can infer it.
    ///   - json: The settings; with nil, those of the client that sent the request.
    /// - Throws: A ``DecodingFailure`` if the body can't be decoded; the failure keeps this response and its request.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self, using json: JSONCoding? = nil
    ) throws(DecodingFailure) -> T {
        try (json ?? self.json).decoder().decoded(T.self, from: body, of: self)
    }
}

extension HTTPError {
    /// Decodes the response's body as JSON; for example, the list of invalid fields in a 422 response.
    ///
    /// ```swift
    /// let invalid: InvalidFields = try error.decodedBody()
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to decode; leave it out if Swift can infer it.
    ///   - json: The settings; with nil, those of the client that sent the request.
    /// - Throws: A ``DecodingFailure`` if there was no response, or its body can't be decoded.
    public func decodedBody<T: Decodable>(
        as type: T.Type = T.self, using json: JSONCoding? = nil
    ) throws(DecodingFailure) -> T {
        try (json ?? request?.context.json ?? JSONCoding()).decoder()
            .decoded(T.self, from: body, of: response)
    }
}

extension Future where Value == HTTPResponse {
    /// Decodes the body as JSON, if the status is in 200…299.
    ///
    /// ```swift
    /// let product = client.futures.send(request).decoded(as: Product.self)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to decode; leave it out if Swift can infer it.
    ///   - json: The settings; with nil, those of the client that sent the request.
    /// - Returns: A future that rejects with the errors that `HTTPResponse.decoded(as:using:)` throws. An error of
    ///   this future passes unchanged. Decoding runs on the thread that settles this future, in time linear in
    ///   the size of the body.
    @_disfavoredOverload  // `Future(error: …)` alone is a future of data.
    public func decoded<T: Decodable & Sendable>(
        as type: T.Type = T.self, using json: JSONCoding? = nil
    ) -> Future<T> {
        mapWithoutOrigin { try $0.decoded(as: T.self, using: json) }
    }
}

extension Future where Value == Data {
    /// Decodes the data as JSON.
    ///
    /// ```swift
    /// let product = networking(.product(withID: 7)).decoded(as: Product.self)
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to decode; leave it out if Swift can infer it.
    ///   - json: The settings, such as `client.json`, because the data doesn't say which client loaded it; with nil, the
    ///     standard ones.
    /// - Returns: A future that rejects with ``DecodingFailure`` if the data can't be decoded. An error of this
    ///   future passes unchanged. Decoding runs on the thread that settles this future, in time linear in the
    ///   size of the data.
    public func decoded<T: Decodable & Sendable>(
        as type: T.Type = T.self, using json: JSONCoding? = nil
    ) -> Future<T> {
        mapWithoutOrigin { try (json ?? JSONCoding()).decoder().decoded(T.self, from: $0) }
    }

    /// A function that decodes data into a type, for `chain`.
    ///
    /// ```swift
    /// let loadProduct = chain(Endpoint.product, to: client.networking, to: Future.decoded(as: Product.self))
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - json: The settings, such as `client.json`; with nil, the standard ones.
    /// - Returns: A function that does the same as `decoded(as:using:)`.
    public static func decoded<T: Decodable & Sendable>(
        as type: T.Type, using json: JSONCoding? = nil
    ) -> @Sendable (Future<Data>) -> Future<T> {
        { data in data.decoded(as: T.self, using: json) }
    }
}

extension JSONDecoder {
    /// Decodes a body, or throws a failure that keeps the body and the response; an optional is nil if the body is empty.
    package func decoded<T: Decodable>(
        _ type: T.Type, from data: Data, of response: HTTPResponse? = nil
    ) throws(DecodingFailure) -> T {
        if data.isEmpty, let none = (T.self as? any NilForNothing.Type)?.nothing as? T {
            return none
        }
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

/// A type whose value is nil if there is nothing to decode.
private protocol NilForNothing {
    static var nothing: Self { get }
}

extension Optional: NilForNothing {
    fileprivate static var nothing: Self { nil }
}
