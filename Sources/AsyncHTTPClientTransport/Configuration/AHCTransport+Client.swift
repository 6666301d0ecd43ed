#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOPosix

extension AHCTransport.Configuration {
    /// Makes a client with this configuration.
    ///
    /// It runs on SwiftNIO's own threads on every system: over Apple's Network.framework, some of the TLS
    /// settings would trap.
    func client(
        in group: MultiThreadedEventLoopGroup, noting connections: ConnectionTracker,
        by proxy: HTTPClient.Configuration.Proxy?, forwarding: ForwardingProxy? = nil,
        _ routes: ConnectionRoutes, isSecure: Bool
    ) -> HTTPClient {
        var configuration = lowered()
        configuration.proxy = proxy
        configuration.dnsOverride = routes.addresses
        connections.watch(
            &configuration, decoding: ResponseDecoding(maxHeadSize: max(1, maxHeadSize)))
        forwarding?.install(on: &configuration)
        if isSecure { PinnedKeyCheck(keys: routes.pinnedKeys).install(on: &configuration) }
        return HTTPClient(eventLoopGroup: group, configuration: configuration)
    }

    func lowered() -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls.configuration, redirectConfiguration: .disallow)
        configuration.timeout.connect = TimeAmount(saturating: connectTimeout)
        configuration.connectionPool.idleTimeout = TimeAmount(saturating: keepAlive)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(
            1, maxConnectionsPerHost)
        // A policy decides whether to try again.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = httpVersion == .automatic ? .automatic : .http1Only
        #if Observability
        // The middleware `openTelemetry` makes the span of a request; AsyncHTTPClient would make a second one.
        configuration.tracing.tracer = nil
        #endif
        return configuration
    }
}
#endif
