import Testing

/// The lines of the programs of Docs/Guides/ThreePrograms.md, without those that are blank.
@Suite struct ProgramLinesTests {
    @Test(arguments: [
        ("GitHubCLI", ["cli", "cli-start"], 120), ("Feed", ["feed"], 120),
        ("Backend", ["backend", "backend-start"], 70),
    ])
    func areFew(_ file: String, _ names: [String], atMost limit: Int) throws {
        let check = try Repository.this.check()
        let path = "Docs/Examples/Programs/\(file).swift"
        let slices = Slice.all(in: check.sources[path] ?? "", at: path).slices
        #expect(slices.map(\.name) == names)
        let count = slices.flatMap(\.lines).count { !$0.trimmed.isEmpty }
        #expect(count <= limit, "\(path) has \(count) lines")
        let page = check.documents["Docs/Guides/ThreePrograms.md"] ?? ""
        let isSaid = page.contains("\(count) lines")
        #expect(isSaid, "the page does not say: \(count) lines")
    }
}
