import Foundation
import TestSupport
import Testing

@Suite(.oneAtATime)
struct TourTests {
    @Test func printsWhatIsCommitted() async throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("expected-output.txt")
        let expected = try String(contentsOf: file, encoding: .utf8)

        let run = try await runQuickstart()

        #expect(run.output == expected, "see Tests/quickstartTests/expected-output.txt")
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
    }
}
