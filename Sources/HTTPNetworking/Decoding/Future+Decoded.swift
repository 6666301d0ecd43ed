public import PledgeFutures

extension Future where Value == Data {
    /// Decodes the data as JSON into the type that the context asks for.
    ///
    /// ```swift
    /// let product: Future<Product> = networking(.product(withID: 7)).decoded()
    /// ```
    ///
    /// Data knows no client, so the settings are the standard ones: for those of a client take `client.decoded(_:)`, or pass
    /// them. It has no parameters so that `chain(networking, to: Future.decoded)` infers.
    ///
    /// - Returns: A future that rejects with ``DecodingFailure`` if the data is not such a value; an error of
    ///   this future passes unchanged. Decoding runs on the thread that settles this future, in time linear
    ///   in the size of the data.
    public func decoded<T: Decodable & Sendable>() -> Future<T> {
        decoded(as: T.self, using: JSONDecoder())
    }

    /// Decodes the data into a type with a decoder.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: The decoder. It is shared, so do not change it afterwards.
    /// - Returns: A future that rejects with ``DecodingFailure`` if the data is not such a value; an error of
    ///   this future passes unchanged. Decoding runs on the thread that settles this future, in time linear
    ///   in the size of the data.
    public func decoded<T: Decodable & Sendable>(
        as type: T.Type,
        using decoder: JSONDecoder = JSONDecoder()
    ) -> Future<T> {
        mapWithoutOrigin { try decoder.decoded(T.self, from: $0) }
    }

    /// Decodes the data with settings that are given once; see `decoded()`.
    ///
    /// - Parameters:
    ///   - type: The type to decode; the context's without one.
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
    /// - Returns: A function that does what `decoded(as:using:)` does.
    public static func decoded<T: Decodable & Sendable>(
        as type: T.Type, using json: JSONCoding = JSONCoding()
    ) -> @Sendable (Future<Data>) -> Future<T> {
        { data in data.decoded(as: T.self, using: json) }
    }
}
