public import Foundation
public import PledgeHTTPClients

extension HTTPClient {
    /// Makes a client over a ``DefaultTransport`` of its own, with the default limits of that transport.
    ///
    /// ```swift
    /// let client = HTTPClient(base: server)
    /// let products: Future<[Product]> = client.networking(Endpoint(path: "/products")).decoded()
    /// ```
    ///
    /// Make it once: its copies share the transport, and with it the connections.
    ///
    /// - Parameter base: The URL that endpoints are appended to; see `base`.
    public init(base: URL?) { self.init(base: base, over: DefaultTransport.ofThisSystem.make()) }
}
