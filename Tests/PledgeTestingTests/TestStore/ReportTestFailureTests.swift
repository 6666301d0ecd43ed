import Pledge
import PledgeStores
import PledgeTesting
import TestSupport
import Testing
import XCTest

@testable import PledgeTesting

@Suite(.oneAtATime)
struct ReportTestFailureTests {
    private static let place = TestSourceLocation(
        fileID: "Module/File.swift", filePath: "/path/to/File.swift", line: 42, column: 7)

    @Test func swiftTestingIsToldThePathAndTheColumnOfAFailure() {
        withKnownIssue {
            reportTestFailure("what is wrong, in more than fifteen bytes", at: Self.place)
        } matching: { issue in
            issue.comments.map(\.rawValue) == ["what is wrong, in more than fifteen bytes"]
                && issue.sourceLocation?.fileID == "Module/File.swift"
                && issue.sourceLocation?.path == "/path/to/File.swift"
                && issue.sourceLocation?.line == 42
                && issue.sourceLocation?.column == 7
        }
    }

    @Test func isWhatATestStoreDoes() {
        withKnownIssue {
            let store = TestStore(
                initialState: 0, reducer: Reducer { (state: Int, event: Int) in event })
            store.send(1, expecting: 2)
        } matching: { issue in
            issue.comments.first?.rawValue.hasSuffix("- 2\n+ 1") == true
                && issue.sourceLocation?.fileID == #fileID
                && issue.sourceLocation?.path == #filePath
        }
    }

    @Test(
        arguments: [("", 0), ("File.swift", 1), ("/File.swift", UInt.max)] as [(StaticString, UInt)]
    )
    func anyPlaceIsTaken(fileID: StaticString, line: UInt) {
        let place = TestSourceLocation(
            fileID: fileID, filePath: "", line: line, column: line)
        withKnownIssue { reportTestFailure("x", at: place) }
    }

    @Test func stopsTheProgramWithoutAFramework() async {
        await #expect(processExitsWith: .failure) {
            TestFrameworks(swiftTesting: nil, xcTest: nil, isTestProcess: true)
                .report("x", at: Self.place)
        }
    }

    @Test func stopsAProgramThatRunsNoTests() async {
        await #expect(processExitsWith: .failure) {
            TestFrameworks(
                swiftTesting: nil, xcTest: XCTestCalls(lookUp: LoadedFunction.init),
                isTestProcess: false
            ).report("x", at: Self.place)
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
    /// T3: XCTest gets the path, which it calls the file.
    func testFailsTheTestOfXCTest() {
        let test = FailingCase.make()
        test.run()
        // A failed assertion would belong to the inner test, which has ended.
        precondition(test.places == ["/path/to/File.swift:42"], "\(test.places)")
    }
}

/// A test that fails, and records where its failures are.
private final class FailingCase: XCTestCase {
    private(set) var places: [String] = []

    override func invokeTest() {
        let place = TestSourceLocation(
            fileID: "Module/File.swift", filePath: "/path/to/File.swift", line: 42, column: 7)
        reportTestFailure("expected", at: place)
    }

    #if canImport(Darwin)
    static func make() -> FailingCase { FailingCase() }

    override func record(_ issue: XCTIssue) {
        let place = issue.sourceCodeContext.location
        places.append("\(place?.fileURL.path ?? "nowhere"):\(place?.lineNumber ?? 0)")
    }
    #else
    static func make() -> FailingCase { FailingCase(name: "fails") { _ in } }

    override func recordFailure(
        withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
        expected: Bool
    ) {
        places.append("\(filePath):\(lineNumber)")
    }
    #endif
}

extension SourceLocation {
    fileprivate var path: String {
        #if compiler(>=6.3)
        filePath
        #else
        _filePath
        #endif
    }
}
