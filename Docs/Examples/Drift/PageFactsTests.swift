import Foundation
import Testing

/// What pages repeat, compared with its source.
@Suite struct PageFactsTests {
    @Test func readmeCountsTheModules() throws {
        let traits = try text(of: "Package.swift").matches(of: /\.trait\(/).count
        let others = try modules().count - traits
        let claim = """
            [\(word(others).capitalized) modules](Docs/Guides/Modules.md), and \
            \(word(traits)) behind traits
            """
        #expect(traits > 0)
        #expect(try text(of: "README.md").contains(claim), "README.md does not say: \(claim)")
    }

    @Test func theGuideNamesEachModule() throws {
        let guide = try text(of: "Docs/Guides/Modules.md")
        for name in try modules() {
            #expect(
                guide.contains("\n| `\(name)` |") || guide.contains("\n| [`\(name)`]("),
                "Modules.md has no row for \(name)")
        }
    }

    @Test func thePackageIndexDocumentsEachModule() throws {
        let listed = try text(of: ".spi.yml").matches(of: /- (\w+)\n/).map { String($0.1) }
        #expect(try listed.sorted() == modules().sorted())
    }

    @Test func theGlossaryDefinesEachTermOnce() throws {
        let terms = try MarkdownTable.all(in: text(of: "Docs/Guides/Glossary.md"))
            .flatMap { $0["Term"] }
        #expect(terms.count > 50)
        #expect(Set(terms).count == terms.count)
    }

    private func modules() throws -> [String] {
        try ModuleArrows(of: .this).uses.keys.map(ModuleArrows.name)
    }

    private func text(of path: String) throws -> String {
        let file = Repository.this.root.appendingPathComponent(path)
        return try String(contentsOf: file, encoding: .utf8)
    }

    /// A small number, as a word.
    private func word(_ number: Int) -> String {
        let words = [
            "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
            "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
            "eighteen", "nineteen", "twenty",
        ]
        return words.indices.contains(number) ? words[number] : "\(number)"
    }
}
