import Foundation
import HTTPTypes
import Hummingbird
import Pledge

/// What the other server answers: what its caller has told it.
struct Product: Codable, Sendable {
    var id: Int
    var traceparent: String?
    var milliseconds: Int?
}

/// The routes of the other server; the answer for a product from 100 on takes as many milliseconds as its number.
func makeBackendRouter() -> Router<BasicRequestContext> {
    let router = Router()
    router.get("products/:id") { request, context -> String in
        let id = try context.parameters.require("id", as: Int.self)
        if id >= 100 { try await Task.sleep(for: .milliseconds(id)) }
        let timeout = HTTPField.Name("Request-Timeout").flatMap { request.headers[$0] }
        let product = Product(
            id: id, traceparent: CallContext(of: request).traceContext?.traceparent,
            milliseconds: timeout.flatMap { Int($0) })
        return String(decoding: try JSONEncoder().encode(product), as: UTF8.self)
    }
    return router
}

/// The other server as a process of its own: this program, started with `backend PORT`.
struct BackendProcess {
    let port: Int
    private let process = Process()

    /// Starts it, and returns when it listens.
    ///
    /// - Parameter port: Where; zero lets the system choose.
    init(port: Int = 0) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["backend", "\(port)"]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        self.port = text.split(separator: "\n").first.flatMap { Int($0) } ?? 0
    }

    /// Ends it at once, by SIGKILL: calls under way are cut off.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
