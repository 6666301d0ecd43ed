import Testing

/// A page of Docs/Guides/Recipes: recipes below a block that all of them use.
struct RecipePage {
    /// One question: its heading, and the lines below it.
    struct Recipe {
        let question: String
        let lines: [String]

        /// Its Swift blocks.
        var blocks: [Fence] {
            Fence.all(in: lines.joined(separator: "\n")).filter { $0.language == "swift" }
        }
    }

    private let text: String

    init(_ name: String) throws {
        text = try Repository.this.check().documents["Docs/Guides/Recipes/\(name).md"] ?? ""
    }

    /// Another page of the documentation, by its path.
    init(path: String) throws { text = try Repository.this.check().documents[path] ?? "" }

    /// The names of all pages but the index.
    static func names() throws -> [String] {
        let folder = "Docs/Guides/Recipes/"
        return try Repository.this.check().documents.keys.sorted()
            .filter { $0.hasPrefix(folder) && !$0.hasSuffix("/README.md") }
            .map { String($0.dropFirst(folder.count).dropLast(3)) }
    }

    /// The questions that the page answers, in order.
    var recipes: [Recipe] {
        var recipes: [Recipe] = []
        var isInFence = false
        for line in text.lines {
            if line.hasPrefix("```") { isInFence.toggle() }
            if !isInFence, line.hasPrefix("## ") {
                recipes.append(Recipe(question: String(line.dropFirst(3)), lines: []))
            } else if let last = recipes.popLast() {
                recipes.append(Recipe(question: last.question, lines: last.lines + [line]))
            }
        }
        return recipes
    }

    /// How many blocks show what a recipe prints.
    var outputCount: Int { Fence.all(in: text).count { $0.language == "text" } }

    /// Fails unless the page shows what a recipe has printed.
    func expectOutput(
        _ log: ExampleLog, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let output = log.lines.flatMap(\.lines).dedented
        let isShown = Fence.all(in: text).contains {
            $0.language == "text" && $0.lines.dedented == output
        }
        let shown = output.joined(separator: "\n")
        #expect(isShown, "the page does not show\n\(shown)", sourceLocation: sourceLocation)
    }
}
