import Testing

// Programming errors trap with a message; a process of their own lets a test see it. Other platforms
// than these cannot start one.
#if os(macOS) || os(Linux)
/// Expects a process to trap, and to say why on standard error.
func expectTrap(
    _ message: String, in result: ExitTest.Result?,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains(message), "it said: \(text)", sourceLocation: sourceLocation)
}
#endif
