#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOPosix

extension AHCTransport.Configuration {
    /// A client that does as this says.
    ///
    /// It runs on SwiftNIO's own threads on every system: over Apple's Network.framework some of the
    /// TLS settings would trap.
    func client(
        in group: MultiThreadedEventLoopGroup, noting connections: ConnectionsMade
    ) -> HTTPClient {
        var configuration = lowered()
        connections.watch(
            &configuration, decoding: ResponseDecoding(maxHeadSize: max(1, maxHeadSize)))
        return HTTPClient(eventLoopGroup: group, configuration: configuration)
    }

    private func lowered() -> HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls.configuration, redirectConfiguration: .disallow)
        configuration.timeout.connect = TimeAmount(saturating: connectTimeout)
        configuration.connectionPool.idleTimeout = TimeAmount(saturating: keepAlive)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(
            1, maxConnectionsPerHost)
        // To try again is a policy's to decide.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.httpVersion = httpVersion == .automatic ? .automatic : .http1Only
        return configuration
    }
}
#endif
