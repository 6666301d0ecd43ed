/// Fails the test that is running, whether it is one of Swift Testing or of XCTest.
///
/// It is what a ``TestStore`` does unless its `onFailure` says otherwise. PledgeTesting is linked to
/// neither framework: it looks for them in the running process. Outside a test, that is where neither is
/// loaded, or in a process that was not started to run tests, the program is stopped with the
/// message. See
/// Docs/Decisions/why-test-frameworks-are-looked-up.md.
///
/// - Parameters:
///   - message: What is wrong.
///   - location: Where to show it.
@Sendable
public func reportTestFailure(_ message: String, at location: TestSourceLocation) {
    TestFrameworks.loaded.report(message, at: location)
}

/// Fails the test that is running, at a file that no editor can open.
///
/// - Parameters:
///   - message: What is wrong.
///   - fileID: The file to show it at: a `#fileID`, which names a module and a file, but no path.
///   - line: The line to show it at.
@available(*, deprecated, renamed: "reportTestFailure(_:at:)")
@Sendable
public func reportTestFailure(_ message: String, _ fileID: StaticString, _ line: UInt) {
    let location = TestSourceLocation(fileID: fileID, filePath: fileID, line: line, column: 1)
    reportTestFailure(message, at: location)
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
    func report(_ message: String, at location: TestSourceLocation) {
        if let swiftTesting, swiftTesting.isInTest {
            return swiftTesting.record(message, at: location)
        }
        guard isTestProcess, swiftTesting != nil || xcTest != nil else {
            fatalError("\(location): \(message)")
        }
        // A test of XCTest; or one of either, which has called us on another thread. The framework
        // whose tests are not running ignores it.
        xcTest?.fail(message, at: location)
        swiftTesting?.record(message, at: location)
    }
}
