/// What ``reportTestFailure(_:at:)`` needs of XCTest, found by name in the running process.
///
/// Invariant: the address is that of the function whose full signature its symbol spells, of types of
/// the standard library, whose layout is fixed.
struct XCTestCalls: Sendable {
    private let fail: LoadedFunction

    /// Finds the function; nil where it is missing.
    init?(lookUp: (String) -> LoadedFunction?) {
        // XCTFail(_: String, file: StaticString, line: UInt)
        guard let fail = lookUp("$s6XCTest7XCTFail_4file4lineySS_s12StaticStringVSutF") else {
            return nil
        }
        self.fail = fail
    }

    /// Fails the test that is running; without one, nothing happens.
    ///
    /// XCTest has no use for a file ID: its `file` is a path.
    func fail(_ message: String, at location: TestSourceLocation) {
        self.fail.cast(to: Fail.self).call(message, location.filePath, location.line)
    }
}

private struct Fail {
    let call: @convention(thin) (String, StaticString, UInt) -> Void
}
