import PledgeTesting
import Testing
import XCTest

@testable import PledgeTesting

@Suite(.timeLimit(.minutes(10)))
struct ReportTestFailureTests {
    @Test func failsTheTestOfSwiftTesting() {
        withKnownIssue {
            reportTestFailure("what is wrong, in more than fifteen bytes", "Module/File.swift", 42)
        } matching: { issue in
            issue.comments.map(\.rawValue) == ["what is wrong, in more than fifteen bytes"]
                && issue.sourceLocation?.fileID == "Module/File.swift"
                && issue.sourceLocation?.line == 42
        }
    }

    @Test func isWhatATestStoreDoes() {
        withKnownIssue {
            let store = TestStore(initialState: 0, reduce: { (state: Int, event: Int) in event })
            store.send(1, expecting: 2)
        } matching: { issue in
            issue.comments.first?.rawValue.hasSuffix("- 2\n+ 1") == true
                && issue.sourceLocation?.fileID == #fileID
        }
    }

    @Test(
        arguments: [("", 0), ("File.swift", 1), ("/File.swift", UInt.max)] as [(StaticString, UInt)]
    )
    func anyPlaceIsTaken(fileID: StaticString, line: UInt) {
        withKnownIssue { reportTestFailure("x", fileID, line) }
    }

    @Test func stopsTheProgramWithoutAFramework() async {
        await #expect(processExitsWith: .failure) {
            TestFrameworks(swiftTesting: nil, xcTest: nil, isTestProcess: true)
                .report("x", "M/F.swift", 1)
        }
    }

    @Test func stopsAProgramThatRunsNoTests() async {
        await #expect(processExitsWith: .failure) {
            TestFrameworks(
                swiftTesting: nil, xcTest: XCTestCalls(lookUp: LoadedFunction.init),
                isTestProcess: false
            ).report("x", "M/F.swift", 1)
        }
    }

    @Test func aTestProcessIsKnownByHowItWasStarted() {
        #expect(isTestProcess())
        #expect(!isTestProcess(arguments: ["/bin/app", "--fast"], environment: ["PATH": "/bin"]))
        #expect(isTestProcess(arguments: ["/x/AppTests.xctest"], environment: [:]))
        #expect(isTestProcess(arguments: ["/usr/bin/xctest", "-XCTest"], environment: [:]))
        #expect(isTestProcess(arguments: ["app"], environment: ["XCTestBundlePath": "x"]))
    }
}

/// The same in a process whose tests are XCTest's.
final class ReportTestFailureXCTests: XCTestCase {
    func testFailsTheTestOfXCTest() {
        final class Case: XCTestCase {}
        let test = Case(name: "of which one failure is expected") { _ in
            reportTestFailure("expected", "Module/File.swift", 42)
        }
        test.run()
        let failures = test.testRun?.failureCount
        // A failed assertion would be the inner test's, which has ended.
        precondition(failures == 1, "\(failures ?? -1) failures")
    }
}
