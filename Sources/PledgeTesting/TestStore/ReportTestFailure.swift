/// Fails the running test of Swift Testing or of XCTest.
///
/// A ``TestStore`` calls it by default; see its `onFailure`. PledgeTesting is linked to neither framework: it
/// looks for them in the running process. If neither is loaded, or if the process was not started to run
/// tests, it stops the program with the message. See Docs/Decisions/why-test-frameworks-are-looked-up.md.
///
/// - Parameters:
///   - message: The failure.
///   - location: The place at which it is shown.
@Sendable
public func reportTestFailure(_ message: String, at location: TestSourceLocation) {
    TestFrameworks.loaded.report(message, at: location)
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
        // A test of XCTest, or a test of either framework that called this on another thread. The framework
        // whose tests are not running ignores the call.
        xcTest?.fail(message, at: location)
        swiftTesting?.record(message, at: location)
    }
}
