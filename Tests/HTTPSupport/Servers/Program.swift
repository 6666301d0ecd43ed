#if os(Linux)
package import Foundation
import PledgeFutures
import TestSupport

/// A server that is a program of the system.
package protocol ServingProgram {
    var program: Program { get }

    /// Whether it answers a request.
    func answers() async -> Bool
}

/// A program of the system that runs beside a test, and is stopped when this object is released.
package final class Program: Sendable {
    /// A required program is not installed, or does not do its work.
    package struct Unusable: Error, CustomStringConvertible {
        package let description: String
    }

    private let process: ChildProcess

    /// The path of a program; nil if it is not installed.
    ///
    /// - Throws: ``Unusable`` if CI is set, since CI installs the program.
    package static func find(_ name: String, of package: String) throws -> URL? {
        for folder in ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/lib/squid"] {
            let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        guard ProcessInfo.processInfo.environment["CI"] != nil else { return nil }
        throw Unusable(description: "\(name) is missing: apt-get install \(package)")
    }

    /// Runs a program to its end.
    ///
    /// - Parameter name: The file in the folder that gets what it prints.
    package static func run(
        _ program: URL, _ arguments: [String], in folder: URL, to name: String = "output.txt"
    ) throws {
        let output = folder.appendingPathComponent(name)
        let process = try ChildProcess(
            program, arguments, in: folder, output: output, errors: output)
        guard process.wait() == 0 else {
            let words = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
            throw Unusable(description: "\(program.path) \(arguments) failed: \(words)")
        }
    }

    /// Starts a program.
    package init(_ program: URL, _ arguments: [String], in folder: URL) throws {
        process = try ChildProcess(program, arguments, in: folder)
    }

    /// Starts a server, and waits until it answers.
    ///
    /// Its ports were free a moment before. A server that finds another program at one of them ends; then another is
    /// started, with other ports.
    ///
    /// - Throws: ``Unusable`` if five servers ended, or if one does not answer within the watchdog.
    package static func serving<Server: ServingProgram>(
        _ start: () throws -> Server
    ) async throws -> Server {
        for _ in 1...5 {
            let server = try start()
            let deadline = ContinuousClock.now + watchdog
            while server.program.process.isRunning {
                if await server.answers() { return server }
                guard ContinuousClock.now < deadline else {
                    throw Unusable(description: "\(Server.self) does not answer")
                }
            }
        }
        throw Unusable(description: "\(Server.self) ended five times at its start")
    }

    deinit { stop() }

    /// Ends the program; harmless if it is called twice.
    package func stop() { process.stop() }

    /// Waits for the end of the program.
    package func wait() { process.wait() }

    /// Whether the program has not ended.
    package var isRunning: Bool { process.isRunning }

    /// A port of the loopback addresses that was free a moment ago.
    ///
    /// It lies below those that systems choose for connections, of which other tests have thousands.
    package static func freePort() throws -> UInt16 {
        for _ in 1...1_000 {
            let port = UInt16.random(in: 10_000..<32_768)
            if Sockets.isFree(port) { return port }
        }
        throw Unusable(description: "no port is free")
    }
}
#endif
