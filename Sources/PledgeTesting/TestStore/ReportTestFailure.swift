/// Fails the test that is running, whether it is one of Swift Testing or of XCTest.
///
/// It is what a ``TestStore`` does unless its `onFailure` says otherwise. PledgeTesting is linked to
/// neither framework: it looks for them in the running process. Outside a test, that is where neither is
/// loaded, or in a process that was not started to run tests, the program is stopped with the
/// message. See
/// Docs/Decisions/test-frameworks-are-looked-up.md.
///
/// - Parameters:
///   - message: What is wrong.
///   - fileID: The file to show it at: a `#fileID`.
///   - line: The line to show it at.
@Sendable
public func reportTestFailure(_ message: String, _ fileID: StaticString, _ line: UInt) {
    TestFrameworks.loaded.report(message, fileID, line)
}

/// The test frameworks that this process has loaded.
struct TestFrameworks: Sendable {
    let swiftTesting: SwiftTestingCalls?
    let xcTest: XCTestCalls?
    let isTestProcess: Bool

    static let loaded = TestFrameworks(
        swiftTesting: SwiftTestingCalls(lookUp: LoadedFunction.init),
        xcTest: XCTestCalls(lookUp: LoadedFunction.init),
        isTestProcess: PledgeTesting.isTestProcess()
    )

    /// Fails the running test, or stops the program.
    func report(_ message: String, _ fileID: StaticString, _ line: UInt) {
        if let swiftTesting, swiftTesting.isInTest {
            return swiftTesting.record(message, fileID, line)
        }
        guard isTestProcess, swiftTesting != nil || xcTest != nil else {
            fatalError("\(fileID):\(line): \(message)")
        }
        // A test of XCTest; or one of either, which has called us on another thread. The framework
        // whose tests are not running ignores it.
        xcTest?.fail(message, fileID, line)
        swiftTesting?.record(message, fileID, line)
    }
}
