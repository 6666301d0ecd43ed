/// Waits until a condition that other threads bring about is true, while other tasks run.
///
/// - Parameters:
///   - isolation: The isolation of the condition, which is the caller's.
///   - condition: The condition, which is evaluated again and again.
/// - Returns: Whether it became true; false after ten minutes, so that a test fails and does not hang. A test
///   among thousands may wait for its turn for minutes.
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
