// Programming errors trap with a message; a test checks that in a process of its own. Other platforms than
// these cannot start one.
#if os(macOS) || os(Linux)
package import Testing

/// Expects a process to trap, in a debug build with a message on standard error.
///
/// A release build leaves out the message of a precondition.
package func expectTrap(
    _ message: String, in result: ExitTest.Result?,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #if DEBUG
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(message), "it said: \(text)", sourceLocation: sourceLocation)
    #endif
}
#endif
