import TestSupport

/// Runs `quickstart` with arguments, as `swift run quickstart` does.
func runQuickstart(_ arguments: String...) async throws -> ExecutableRun {
    try await runQuickstart(arguments)
}

/// Runs `quickstart` with a list of arguments.
func runQuickstart(_ arguments: [String]) async throws -> ExecutableRun {
    try await ExecutableRun(of: "quickstart", arguments)
}
