#if os(macOS) || os(Linux)
package import Foundation

/// One run of an executable of this package.
package struct ExecutableRun {
    /// Its standard output.
    package var output: String
    /// Its standard error.
    package var errors: String
    /// Its exit status: 0 for success.
    package var exitCode: Int32

    /// Runs an executable with arguments, as `swift run` does.
    package init(of name: String, _ arguments: [String]) async throws {
        let files = ["output", "errors"].map {
            FileManager.default.temporaryDirectory.appending(path: "\(UUID()).\($0)")
        }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        let process = try ChildProcess(
            Self.executable(name), arguments, output: files[0], errors: files[1])
        exitCode = await onOwnThread { process.wait() }
        output = try String(contentsOf: files[0], encoding: .utf8)
        errors = try String(contentsOf: files[1], encoding: .utf8)
    }

    /// The executable: it is next to the test bundle, whose path is among this process's arguments.
    package static func executable(_ name: String) throws -> URL {
        for argument in CommandLine.arguments {
            let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
            guard let bundle = parts.firstIndex(where: { $0.hasSuffix(".xctest") }) else {
                continue
            }
            let folder = parts[..<bundle].joined(separator: "/")
            let file = URL(fileURLWithPath: "\(folder)/\(name)")
            if FileManager.default.isExecutableFile(atPath: file.path) { return file }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
#endif
