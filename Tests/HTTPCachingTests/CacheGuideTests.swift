import Foundation
import HTTPTestSupport
import PledgeHTTPCaching
import Testing

/// The guide's table names tests that exist.
@Suite struct CacheGuideTests {
    @Test func everyTestThatTheTableNamesExists() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = folder.appendingPathComponent("../..").standardizedFileURL
        let guide = try String(
            contentsOf: root.appendingPathComponent("Docs/Guides/Caching.md"), encoding: .utf8)
        let files = try FileManager.default
            .contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
        let sources = try files.map { try String(contentsOf: $0, encoding: .utf8) }.joined()
        let names = guide.matches(of: /`(?<suite>Cache\w*Tests)\.(?<test>\w+)`/)
        #expect(names.count > 80)
        for name in names {
            // A suite ends with the first closing brace at the start of a line.
            let suite = sources.components(separatedBy: "struct \(name.output.suite) {\n")
                .dropFirst().first?
                .components(separatedBy: "\n}\n").first
            let exists = suite?.contains("func \(name.output.test)(") ?? false
            #expect(exists, "\(name.output.0)")
        }
    }
}
