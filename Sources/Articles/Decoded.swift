public import PledgeFutures
public import PledgeHTTPMessages

extension Future where Value == Data {
    /// Decodes the data as JSON; without parameters, so that `Future.decoded` is a function for `chain`.
    ///
    /// ```swift
    /// let load: @Sendable (Product.ID) -> Future<Product> = chain(loadData, to: Future.decoded)
    /// ```
    ///
    /// See `decoded(as:using:)`.
    public func decoded<T: Decodable & Sendable>() -> Future<T> { decoded(as: T.self) }
}
