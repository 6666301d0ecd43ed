public import Foundation
public import PledgeHTTPClients

extension HTTPClient {
    /// Creates a client over a new transport with default limits: on Linux `CurlTransport`, if a usable libcurl is found,
    /// and otherwise `SessionTransport`.
    ///
    /// ```swift
    /// let client = HTTPClient(base: server)
    /// let products: [Product] = try await client.get("/products")
    /// ```
    ///
    /// Create one client and copy it: the copies share the transport and its connections.
    ///
    /// - Parameter base: The URL that endpoints are appended to; see `base`.
    public init(base: URL?) { self.init(base: base, over: DefaultTransport.ofThisSystem.make()) }
}
