/// The program that a reader gets who copies the Swift blocks of a page, one below the other.
///
/// Imports, types, extensions and tests stand at file scope, and so do functions whose block holds
/// declarations alone. The rest stands in one function on the main actor, as the statements of a
/// main.swift do, each block in a scope inside the scope of the block before: it sees what stands
/// above it, and may declare a name once more. A block whose info string says
///
/// - `fresh` begins a new program, which keeps the imports of the one before,
/// - `fails` must not compile, with the errors that its `// error:` comments print; what follows
///   does not see it,
/// - `isolated` has the main actor as the default isolation of its program.
///
/// A block that is a file of a tutorial (`to:`) is in none: `.ci/tutorial` compiles it.
/// A block that imports SwiftUI, UIKit or a module behind a trait is compiled where that exists.
struct PageProgram {
    /// The compiler's words for what is wrong: nothing when the program has to compile.
    let errors: [String]
    /// Whether the main actor is the default isolation.
    let isIsolated: Bool
    /// The Swift code, in which the compiler finds the page's own lines.
    let source: String

    /// Every program that a page makes: each is one that has to compile, or to fail as it says.
    ///
    /// A program holds the blocks from the page's beginning to one of its blocks. Where the next block
    /// would add declarations that code above it could see, a program ends before it.
    static func all(in page: String, at path: String) -> [PageProgram] {
        var programs: [PageProgram] = []
        var blocks: [PageBlock] = []
        func finish() {
            if blocks.contains(where: { !$0.isImport }) {
                programs.append(PageProgram(blocks, at: path))
            }
        }
        let fences = Fence.all(in: page).filter { $0.language == "swift" && $0.destination == nil }
        for block in fences.map(PageBlock.init) {
            let isFresh = block.words.contains("fresh")
            let above = isFresh ? blocks.map(\.imports) : blocks
            if block.words.contains("fails") {
                programs.append(PageProgram(above + [block], at: path))
                continue
            }
            if isFresh || block.declares { finish() }
            blocks = above
            blocks.append(block)
        }
        finish()
        return programs
    }

    init(_ blocks: [PageBlock], at path: String) {
        errors = blocks.last.map { $0.words.contains("fails") ? $0.errors : [] } ?? []
        isIsolated = blocks.contains { $0.words.contains("isolated") }
        func lines(_ kind: PageBlock.Item.Kind, of block: PageBlock) -> [String] {
            let lines = block.items.filter { $0.kind == kind }.flatMap {
                ["#sourceLocation(file: \"\(path)\", line: \($0.line))"] + $0.lines
            }
            guard let condition = block.condition else { return lines }
            return ["#if canImport(\(condition))"] + lines + ["#endif"]
        }
        var program = blocks.flatMap { lines(.import, of: $0) }
        program += blocks.flatMap { lines(.declaration, of: $0) }
        program += ["@MainActor func page() async throws {"]
        program += blocks.flatMap { lines(.statement, of: $0) + ["do {"] }
        program += ["_ = ()"] + blocks.map { _ in "}" } + ["}"]
        source = program.joined(separator: "\n") + "\n"
    }
}
