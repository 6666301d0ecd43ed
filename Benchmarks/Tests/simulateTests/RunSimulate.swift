/// Runs `simulate` with arguments, as `swift run simulate` does.
func runSimulate(_ arguments: String...) async throws -> ExecutableRun {
    try await ExecutableRun(of: "simulate", arguments)
}
