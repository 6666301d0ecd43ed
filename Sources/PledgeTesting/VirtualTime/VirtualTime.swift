import PledgeFutures

/// Runs a test in virtual time, with everything that it starts.
///
/// ```swift
/// @Test func asksAgainAfterASecond() async throws {
///     try await withVirtualTime { clock in
///         client.scheduler = clock
///         async let product: Product = client.get("/products/7")
///         await clock.advance(by: .seconds(1))
///         #expect(try await product.name == "pen")
///     }
/// }
/// ```
///
/// Tasks (`Task { }` too), child tasks, actors, `for await`, the futures of async code and code on the main actor all
/// run on the main thread, in the same order each time. Tests in virtual time and other tests may run beside each
/// other in one process.
///
/// While the test itself waits, for example for an answer, and nothing else can run, the clock moves on to the next
/// instant at which something is due.
///
/// A step that comes from another thread, such as one after `Task.sleep(for:)`, from a Dispatch queue or a real socket,
/// has no defined place in virtual time. So it fails the test, with a text that says what to write instead. So does a
/// timer of real time, and a test that waits for something that never happens. What can't be noticed is in the guide,
/// "Testing".
///
/// At the end, everything runs that can still run at present. Then the timers that are left are discarded, so a task
/// that still sleeps fails with an error.
///
/// - Parameters:
///   - isolation: The actor of the test; leave it out.
///   - fileID: The file in which a failure is shown; leave it out.
///   - filePath: The path of that file; leave it out.
///   - line: The line at which a failure is shown; leave it out.
///   - column: The column at which a failure is shown; leave it out.
///   - function: The name of the test; leave it out.
///   - body: The test. It gets the clock, which begins at zero. It runs in the caller's task and on its actor.
/// - Returns: What the body returns.
/// - Throws: What the body throws.
public func withVirtualTime<Output, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column, function: StaticString = #function,
    _ body: (VirtualClock) async throws(Failure) -> Output
) async throws(Failure) -> Output {
    let place = TestSourceLocation(
        fileID: fileID, filePath: filePath, line: line, column: column)
    func report(_ escapes: VirtualEscapes) {
        guard let text = escapes.description else { return }
        reportTestFailure("\(function): \(text)", at: place)
    }
    if let outer = VirtualScope.current {
        outer.escapes.noteEscape(.nested)
        return try await body(VirtualClock(of: outer))
    }
    // In a child task, which can be cancelled without the test. Its closure hops to its own actor.
    nonisolated(unsafe) let body = body
    let (escapes, isStuck) = (VirtualEscapes(), Promise<Void>())
    async let child = run(body, escapes, isStuck)
    // If the test doesn't end, it's reported without its end.
    let wasStuck = (try? await isStuck.value) != nil
    if wasStuck { report(escapes) }
    let end = await child
    if !wasStuck { report(escapes) }
    return try end.get()
}

private func run<Output, Failure: Error>(
    _ body: (VirtualClock) async throws(Failure) -> Output,
    _ escapes: VirtualEscapes, _ isStuck: Promise<Void>
) async -> VirtualResult<Output, Failure> {
    let scope = await VirtualScope.begin(escapes, isStuck)
    let leftover = VirtualScope.Leftover()
    scope.leftover = leftover
    let result = await VirtualScope.$leftover.withValue(consume leftover) {
        () async -> Result<Output, Failure> in
        do throws(Failure) { return .success(try await body(VirtualClock(of: scope))) } catch {
            return .failure(error)
        }
    }
    await scope.waitForEnd()
    isStuck.cancel()
    return VirtualResult(result: result)
}

/// A test's result, which the child task hands to its parent.
private struct VirtualResult<Output, Failure: Error>: @unchecked Sendable {
    let result: Result<Output, Failure>

    func get() throws(Failure) -> Output { try result.get() }
}
