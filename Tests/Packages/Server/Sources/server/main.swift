import Foundation
import Pledge

if CommandLine.arguments.dropFirst().first == "backend" {
    let port = CommandLine.arguments.last.flatMap { Int($0) } ?? 0
    let server = try await RunningServer(makeBackendRouter(), port: port)
    print(server.port)
    fflush(nil)
    try await server.wait()
    exit(0)
}
try await Trial().run()
