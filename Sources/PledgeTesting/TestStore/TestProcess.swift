/// Whether this process was started to run tests.
///
/// A test bundle, or the tool that loads one, is among the arguments; for an app that hosts tests, they are
/// in its environment.
func isTestProcess(
    arguments: [String] = CommandLine.arguments,
    environment: [String: String] = ProcessInfo.processInfo.environment
) -> Bool {
    let isRunner = arguments.contains { argument in
        argument == "--testing-library" || argument.contains(".xctest")
            || argument.hasSuffix("/xctest") || argument.hasSuffix("swiftpm-testing-helper")
    }
    return isRunner || environment.keys.contains { $0.hasPrefix("XCTest") }
}
