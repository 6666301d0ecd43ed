#if os(Linux)
import Foundation
import HTTPTestSupport

/// A server of Redis or Valkey for the tests of the stores.
struct RedisServer: ServingProgram {
    let program: Program
    let port: UInt16

    func answers() async -> Bool { (try? RedisConnection(port: port).send("PING")) != nil }

    /// Starts a server.
    ///
    /// - Returns: Nil if none is installed.
    static func start(in folder: URL) async throws -> RedisServer? {
        guard
            let file = try Program.find("redis-server", of: "redis-server")
                ?? Program.find("valkey-server", of: "valkey-server")
        else { return nil }
        return try await Program.serving {
            let port = try Program.freePort()
            let arguments = ["--port", "\(port)", "--bind", "127.0.0.1", "--save", ""]
            return RedisServer(program: try Program(file, arguments, in: folder), port: port)
        }
    }
}
#endif
