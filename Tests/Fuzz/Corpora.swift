import Foundation
import TestSupport

/// The inputs in Tests/Fuzz/Corpus/NAME.txt.
func corpus(named name: String, file: String = #filePath) throws -> [[UInt8]] {
    let url = URL(fileURLWithPath: file).deletingLastPathComponent()
        .appendingPathComponent("Corpus/\(name).txt")
    return TestSupport.corpus(try String(contentsOf: url, encoding: .utf8))
}
