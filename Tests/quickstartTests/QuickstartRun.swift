import Foundation
import Pledge

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
        let process = Process(), output = Pipe(), errors = Pipe()
        process.executableURL = try Self.executable()
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        let ended = Promise<Void>()
        process.terminationHandler = { _ in ended.resolve(with: ()) }
        try process.run()
        try await ended.value
        self.output = Self.text(of: output)
        self.errors = Self.text(of: errors)
        exitCode = process.terminationStatus
    }

    private static func text(of pipe: Pipe) -> String {
        String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    /// The executable stands beside the test bundle, whose path is among our own arguments.
    private static func executable() throws -> URL {
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
