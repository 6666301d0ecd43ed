#if os(Linux)
import Foundation
import Futures
import HTTPTestSupport
import TestSupport

/// A program of the system that runs beside a test, and is stopped when this object is released.
final class Program: Sendable {
    /// A required program is not installed.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    private let process: ChildProcess

    /// The path of a program; nil if it is not installed.
    ///
    /// - Throws: ``Missing`` if CI is set, since CI installs the program.
    static func find(_ name: String, of package: String) throws -> URL? {
        for folder in ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/lib/squid"] {
            let file = URL(fileURLWithPath: folder).appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        guard ProcessInfo.processInfo.environment["CI"] != nil else { return nil }
        throw Missing(description: "\(name) is missing: apt-get install \(package)")
    }

    /// Runs a program to its end.
    static func run(_ program: URL, _ arguments: [String], in folder: URL) throws {
        let output = folder.appendingPathComponent("output.txt")
        let process = try ChildProcess(
            program, arguments, in: folder, output: output, errors: output)
        guard process.wait() == 0 else {
            let words = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
            throw Missing(description: "\(program.path) \(arguments) failed: \(words)")
        }
    }

    /// Starts a program.
    init(_ program: URL, _ arguments: [String], in folder: URL) throws {
        process = try ChildProcess(program, arguments, in: folder)
    }

    deinit { stop() }

    /// Ends the program; harmless if it is called twice.
    func stop() { process.stop() }

    /// A port of 127.0.0.1 that was free a moment ago.
    static func freePort() throws -> UInt16 {
        let server = try SocketServer { _ in }
        defer { server.stop() }
        return server.port
    }
}
#endif
