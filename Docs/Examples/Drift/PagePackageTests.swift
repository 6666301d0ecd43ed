import Testing

/// What the steps of a tutorial make; `.ci/tutorial` has SwiftPM and the compiler judge it.
@Suite struct PagePackageTests {
    private func step(_ number: Int, _ blocks: String...) -> String {
        "## \(number). Step\n\n" + blocks.map { $0 + "\n\n" }.joined()
    }

    private func file(_ path: String, _ code: String) -> String {
        "`\(path)`:\n\n```swift to:\(path)\n\(code)\n```"
    }

    @Test func aStepKeepsTheFilesOfTheStepsBefore() {
        let page = step(1, file("Package.swift", "one"), file("main.swift", "two"))
        let all = PagePackage.all(in: page + step(2, file("main.swift", "three")))
        #expect(all.map(\.heading) == ["1. Step", "2. Step"])
        #expect(
            all.map(\.files) == [
                ["Package.swift": ["one"], "main.swift": ["two"]],
                ["Package.swift": ["one"], "main.swift": ["three"]],
            ])
    }

    @Test func aRunIsCommandsAndTheTextBelow() {
        let page = step(
            1, "```sh\nmkdir a\n```", file("main.swift", "one"), "```sh\nswift run\n```",
            "```text\nhello\n```")
        #expect(
            PagePackage.all(in: page).map(\.runs) == [
                [PagePackage.Run(commands: ["swift run"], output: ["hello"])]
            ])
    }

    @Test func aTextThatNamesItsSourceIsNoOutput() {
        let page = step(1, "```sh\nswift run\n```", "```text Outputs/a.txt\nhello\n```")
        #expect(PagePackage.all(in: page).isEmpty)
    }

    @Test func aTextOfTheNextStepIsNoOutput() {
        let page = step(1, "```sh\nswift run\n```") + step(2, "```text\nhello\n```")
        #expect(PagePackage.all(in: page).isEmpty)
    }

    @Test func aHeadingWithinABlockBeginsNoStep() {
        let page = step(
            1, file("main.swift", "## Two"), "```sh\nswift run\n```", "```text\nhello\n```")
        let all = PagePackage.all(in: page)
        #expect(all.map(\.heading) == ["1. Step"])
        #expect(all.first?.files == ["main.swift": ["## Two"]])
        #expect(all.first?.runs.count == 1)
    }

    @Test func theLineAboveNamesTheFile() {
        let named = "Text. `A.swift`:\n\n```swift to:A.swift\nf()\n```"
        let unnamed = "`B.swift`:\n\n```swift to:A.swift\nf()\n```"
        func problem(_ page: String) -> String? {
            Fence.all(in: page).compactMap { PagePackage.problem(of: $0, in: page) }.first
        }
        #expect(problem(named) == nil)
        let message = "the line above the fence does not name the file: say `A.swift`"
        #expect(problem(unnamed) == message)
    }

    @Test func aTutorialsFilesNeedNoSliceAndAreInNoProgram() {
        let page = step(1, file("A.swift", "f()"))
        let tutorial = DriftCheck(documents: ["Docs/Guides/Tutorial.md": page], sources: [:])
        let other = DriftCheck(documents: ["Docs/Guides/State.md": page], sources: [:])
        #expect(tutorial.problems() == [])
        #expect(other.problems().count == 1)
        #expect(PageProgram.all(in: page, at: "Docs/Guides/Tutorial.md").isEmpty)
    }
}
