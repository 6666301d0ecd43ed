/// Waits for what other threads bring about, and lets other tasks run meanwhile.
///
/// - Parameters:
///   - isolation: Where the condition is looked at: where the caller is.
///   - condition: What is waited for. It is looked at over and over.
/// - Returns: Whether it came true. False after ten minutes, so that a test fails rather than hangs. A test among
///   thousands may wait for minutes for its turn.
package func comesTrue(
    isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool
) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(600)
    while !condition() {
        guard ContinuousClock.now < deadline else { return false }
        await Task.yield()
    }
    return true
}
