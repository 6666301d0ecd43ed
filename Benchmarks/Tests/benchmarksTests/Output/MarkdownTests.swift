import Foundation
import Testing

@testable import benchmarks

@Suite struct MarkdownTests {
    private func document(_ text: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).md")
        try Data(text.utf8).write(to: file)
        return file.path
    }

    @Test func onlyWhatStandsBetweenTheMarksChanges() throws {
        let path = try document(
            "before\n<!-- benchmarks: begin -->\nold\n<!-- benchmarks: end -->\nafter\n")
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(
            try Markdown(path: path).text(with: ["new"])
                == "before\n<!-- benchmarks: begin -->\nnew\n<!-- benchmarks: end -->\nafter\n"
        )
    }

    @Test(arguments: [
        "", "<!-- benchmarks: begin -->", "<!-- benchmarks: end --><!-- benchmarks: begin -->",
    ])
    func aDocumentWithoutMarksIsRefused(text: String) throws {
        let path = try document(text)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: Complaint.self) { try Markdown(path: path) }
    }

    @Test func aMissingDocumentIsRefused() {
        #expect(throws: Complaint.self) { try Markdown(path: "/no/such/document.md") }
    }
}
