import Foundation

extension Case {
    /// The time to compile a function that is composed of sixteen.
    static let compileChain = Case(
        name: "type-check a chain of 16",
        counted: 0,
        obstacle: { isQuick in
            isQuick ? "not with --quick" : Compiler.found == nil ? "no swiftc was found" : nil
        },
        ways: [
            Way(measuring: "Pledge") { count in
                let chain = (2...16).reduce("step1") { "chain(\($0), to: step\($1))" }
                return typeCheck("import Composition\nlet all = \(chain)\n", times: count)
            },
            Way(measuring: "closure") { count in
                let calls = (1...16).reduce("$0") { "step\($1)(\($0))" }
                return typeCheck("let all: @Sendable (Int) -> Int = { \(calls) }\n", times: count)
            },
            Way(measuring: "an empty file") { count in typeCheck("", times: count) },
        ]
    )
}

/// A compiler, and the modules next to this program.
private struct Compiler {
    let swiftc: URL
    let modules: URL

    static let found: Compiler? = {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        let swiftc = folders.map { URL(fileURLWithPath: String($0)).appending(path: "swiftc") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        let program = Bundle.main.executableURL?.resolvingSymlinksInPath()
        guard let swiftc, let program else { return nil }
        let modules = program.deletingLastPathComponent().appending(path: "Modules")
        let composition = modules.appending(path: "Composition.swiftmodule")
        guard FileManager.default.fileExists(atPath: composition.path) else { return nil }
        return Compiler(swiftc: swiftc, modules: modules)
    }()
}

private func typeCheck(_ text: String, times: Int) -> Cost {
    guard let compiler = Compiler.found else { preconditionFailure("asked for before this") }
    let steps = (1...16).map { "@Sendable func step\($0)(_ value: Int) -> Int { value + \($0) }\n" }
    let name = "chain-\(ProcessInfo.processInfo.processIdentifier).swift"
    let file = FileManager.default.temporaryDirectory.appending(path: name)
    defer { try? FileManager.default.removeItem(at: file) }
    do {
        try Data((steps.joined() + text).utf8).write(to: file)
        return try Cost.of {
            for _ in 0..<times {
                let process = Process()
                process.executableURL = compiler.swiftc
                process.arguments = [
                    "-typecheck", "-swift-version", "6", "-I", compiler.modules.path, file.path,
                ]
                try process.run()
                process.waitUntilExit()
                precondition(process.terminationStatus == 0, "swiftc refuses the chain")
            }
        }
    } catch {
        fatalError("cannot run \(compiler.swiftc.path): \(error)")
    }
}
