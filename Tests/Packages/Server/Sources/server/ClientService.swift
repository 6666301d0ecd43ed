// snippet: service
import Logging
import Pledge
import ServiceLifecycle

/// Closes a transport when the services that use it have ended.
///
/// A service group ends its services in the reverse order of their list: this one stands before the server.
struct ClientService: ServiceLifecycle.Service {
    let transport: CurlTransport

    func run() async throws {
        try await gracefulShutdown()
        try await transport.close().value
    }
}

/// A server and what it uses, which SIGTERM ends in the reverse order: the server first.
func makeGroup(
    of server: some ServiceLifecycle.Service, above services: [any ServiceLifecycle.Service],
    logger: Logger
) -> ServiceGroup {
    var configuration = ServiceGroupConfiguration(
        services: services + [server], gracefulShutdownSignals: [.sigterm, .sigint],
        logger: logger)
    // A service that has not ended by then is cancelled.
    configuration.maximumGracefulShutdownDuration = .seconds(10)
    return ServiceGroup(configuration: configuration)
}
// end snippet
