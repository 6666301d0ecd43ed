import Foundation
import Hummingbird
import Logging
import Pledge
import ServiceLifecycle

/// A server of this process, from its start to its end.
final class RunningServer: Sendable {
    let port: Int
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    /// Starts a server, and returns when it listens.
    ///
    /// - Parameter port: Where; zero lets the system choose.
    init(
        _ router: Router<BasicRequestContext>, port: Int = 0,
        above services: [any ServiceLifecycle.Service] = []
    ) async throws {
        let listens = Promise<Int>()
        var logger = Logger(label: "server")
        logger.logLevel = .critical
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { listens.resolve(with: $0.localAddress?.port ?? 0) },
            logger: logger)
        let group = makeGroup(of: application, above: services, logger: logger)
        self.group = group
        task = Task { try await group.run() }
        self.port = try await listens.value
    }

    /// Returns when it has ended.
    func wait() async throws { try await task.value }

    /// Lets the calls under way end, refuses others, and returns when nothing is left.
    func drain() async throws {
        await group.triggerGracefulShutdown()
        try await wait()
    }
}
