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
        let names = guide.matches(of: /`(?<suite>Cache\w*Tests)\.(?<test>\w+)`/)
        #expect(names.count > 80)
        for name in names {
            let file = folder.appendingPathComponent("\(name.output.suite).swift")
            let source = try String(contentsOf: file, encoding: .utf8)
            #expect(source.contains("func \(name.output.test)("), "\(name.output.0)")
        }
    }
}
