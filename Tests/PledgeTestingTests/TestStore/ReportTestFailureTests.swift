import PledgeTesting
import Testing

@testable import PledgeTesting

@Suite(.timeLimit(.minutes(1)))
struct ReportTestFailureTests {
    @Test func failsTheTestOfSwiftTesting() {
        withKnownIssue {
            reportTestFailure("what is wrong", "Module/File.swift", 42)
        } matching: { issue in
            issue.comments.map(\.rawValue) == ["what is wrong"]
                && issue.sourceLocation?.fileID == "Module/File.swift"
                && issue.sourceLocation?.line == 42
        }
    }
}
