import TestSupport
import Testing

/// What holds for every recipe.
@Suite(.oneAtATime) struct RecipePageTests {
    @Test func recipesAreShortAndSayWhereToReadOn() throws {
        var count = 0
        for name in try RecipePage.names() {
            for recipe in try RecipePage(name).recipes {
                count += 1
                let subject = "\(name): \(recipe.question)"
                #expect(!recipe.blocks.isEmpty, "\(subject)")
                #expect(recipe.blocks.allSatisfy { $0.lines.count <= 15 }, "\(subject)")
                #expect(recipe.lines.contains { $0.hasPrefix("More: [") }, "\(subject)")
            }
        }
        #expect(count >= 40)
    }

    @Test func theIndexListsEveryRecipe() throws {
        let index = try Repository.this.check().documents["Docs/Guides/Recipes/README.md"] ?? ""
        let listed = Link.all(in: index).map(\.target).filter { $0.contains("#") }
        var expected: [String] = []
        for name in try RecipePage.names() {
            let recipes = try RecipePage(name).recipes
            let headings = recipes.map { "## \($0.question)" }.joined(separator: "\n")
            expected += Link.anchors(in: headings).map { "\(name).md#\($0)" }
        }
        #expect(listed.sorted() == expected.sorted())
    }

    /// The tests of the recipes compare this many outputs.
    @Test func everyOutputIsCompared() throws {
        let sources = try Repository.this.check().sources.filter { $0.key.contains("/Recipes") }
        let compared = sources.values.map { text in
            text.lines.count { $0.contains("RecipePage(\"") && $0.contains(").expectOutput(") }
        }
        let shown = try RecipePage.names().map { try RecipePage($0).outputCount }
        #expect(compared.reduce(0, +) == shown.reduce(0, +))
    }
}
