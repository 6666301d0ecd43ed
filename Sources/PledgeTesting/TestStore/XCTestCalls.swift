/// The function of XCTest that ``reportTestFailure(_:at:)`` calls, found by name in the running process.
///
/// Invariant: the address is that of the function with the full signature in its symbol. The types in it are
/// of the standard library, with a fixed layout.
struct XCTestCalls: Sendable {
    private let fail: LoadedFunction

    /// Finds the function; nil if it is missing.
    init?(lookUp: (String) -> LoadedFunction?) {
        // XCTFail(_: String, file: StaticString, line: UInt)
        guard let fail = lookUp("$s6XCTest7XCTFail_4file4lineySS_s12StaticStringVSutF") else {
            return nil
        }
        self.fail = fail
    }

    /// Fails the running test; without one, nothing happens.
    ///
    /// XCTest uses no file ID: its `file` is a path.
    func fail(_ message: String, at location: TestSourceLocation) {
        self.fail.cast(to: Fail.self).call(message, location.filePath, location.line)
    }
}

private struct Fail {
    let call: @convention(thin) (String, StaticString, UInt) -> Void
}
