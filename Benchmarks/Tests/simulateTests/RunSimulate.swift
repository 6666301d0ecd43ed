import Foundation

/// What a run of `simulate` printed, and its exit status.
struct SimulateRun {
    let output: String
    let errors: String
    let exitCode: Int32
}

/// Runs `simulate` with arguments, as `swift run simulate` does.
func runSimulate(_ arguments: String...) async throws -> SimulateRun {
    let (process, output, errors) = (Process(), Pipe(), Pipe())
    process.executableURL = try executable("simulate")
    process.arguments = arguments
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let texts = [output, errors].map {
        String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }
    process.waitUntilExit()
    return SimulateRun(output: texts[0], errors: texts[1], exitCode: process.terminationStatus)
}

/// An executable of the package, which is next to the test bundle.
private func executable(_ name: String) throws -> URL {
    for argument in CommandLine.arguments {
        let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
        guard let bundle = parts.firstIndex(where: { $0.hasSuffix(".xctest") }) else { continue }
        let file = URL(fileURLWithPath: (parts[..<bundle] + [name[...]]).joined(separator: "/"))
        if FileManager.default.isExecutableFile(atPath: file.path) { return file }
    }
    throw CocoaError(.fileNoSuchFile)
}
