// Programming errors trap with a message; a test checks that in a process of its own. Other platforms than
// these cannot start one.
#if os(macOS) || os(Linux)
package import Testing

/// Expects a process to trap, with a message on standard error.
package func expectTrap(
    _ message: String, in result: ExitTest.Result?,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(message), "it said: \(text)", sourceLocation: sourceLocation)
}
#endif
