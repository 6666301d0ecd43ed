import Foundation
import Pledge
import TestSupport

/// One run of the built executable, to its end.
struct QuickstartRun {
    /// What it printed.
    var output: String
    /// What it printed to standard error.
    var errors: String
    /// How it ended: 0 where all went well.
    var exitCode: Int32

    /// Runs `quickstart` with arguments, as `swift run quickstart` does.
    init(_ arguments: String...) async throws { try await self.init(arguments) }

    /// Runs `quickstart` with a list of arguments.
    init(_ arguments: [String]) async throws {
        let files = ["output", "errors"].map {
            FileManager.default.temporaryDirectory.appending(path: "\(UUID()).\($0)")
        }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        let process = try ChildProcess(
            Self.executable(), arguments, output: files[0], errors: files[1])
        exitCode = await onOwnThread { process.wait() }
        output = try String(contentsOf: files[0], encoding: .utf8)
        errors = try String(contentsOf: files[1], encoding: .utf8)
    }

    /// The executable stands beside the test bundle, whose path is among our own arguments.
    static func executable() throws -> URL {
        for argument in CommandLine.arguments {
            let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
            guard let bundle = parts.firstIndex(where: { $0.hasSuffix(".xctest") }) else {
                continue
            }
            let folder = parts[..<bundle].joined(separator: "/")
            let file = URL(fileURLWithPath: "\(folder)/quickstart")
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
