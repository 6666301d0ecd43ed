import Foundation

/// The machine and the software of a run.
struct Machine: Codable {
    let processor: String
    let processors: Int
    let system: String
    let compiler: String
    /// The command for the same kind of run.
    let command: String

    static let this = Machine(
        processor: processorName ?? "unknown processor",
        processors: ProcessInfo.processInfo.processorCount,
        system: ProcessInfo.processInfo.operatingSystemVersionString,
        compiler: compilerVersion,
        command: wholeCommand
    )

    var description: String {
        "\(processor), \(processors) processors; \(system); \(compiler)"
    }
}

#if canImport(Darwin)
private var processorName: String? {
    var size = 0
    guard sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0 else { return nil }
    var name = [UInt8](repeating: 0, count: size)
    guard sysctlbyname("machdep.cpu.brand_string", &name, &size, nil, 0) == 0 else { return nil }
    return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
}
#else
private var processorName: String? {
    guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else {
        return nil
    }
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
}
#endif

#if compiler(>=6.4)
private let compilerVersion = "Swift 6.4 or later"
#elseif compiler(>=6.3)
private let compilerVersion = "Swift 6.3"
#elseif compiler(>=6.2)
private let compilerVersion = "Swift 6.2"
#else
private let compilerVersion = "Swift 6.1"
#endif

private var wholeCommand: String {
    #if Peers
    let traits = " --traits Peers"
    #else
    let traits = ""
    #endif
    let arguments = CommandLine.arguments.dropFirst().map {
        $0.contains(" ") ? "'\($0)'" : $0
    }
    return (["swift run -c release --package-path Benchmarks\(traits) benchmarks"] + arguments)
        .joined(separator: " ")
}
