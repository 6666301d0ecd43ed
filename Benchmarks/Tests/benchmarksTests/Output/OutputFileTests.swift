import Foundation
import Testing

@testable import benchmarks

@Suite struct OutputFileTests {
    @Test func aShorterTextReplacesALongerOne() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID())").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try OutputFile(path: path).replace(with: "a longer text")
        let file = try OutputFile(path: path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "a longer text")
        try file.replace(with: "short")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "short")
    }

    @Test(arguments: ["/no/such/folder/file", "/", ""])
    func whatCannotBeWrittenIsRefused(path: String) {
        let complaint = #expect(throws: Complaint.self) { try OutputFile(path: path) }
        #expect(complaint?.exitCode == 1)
    }
}
