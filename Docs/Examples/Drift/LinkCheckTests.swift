import Testing

/// Every link of the documents leads somewhere, and every page and every picture is reached from README.md.
@Test func linksLeadToEveryPage() throws {
    let check = try Repository.this.linkCheck()
    #expect(check.documents.count > 40)
    #expect(check.pictures.contains("Docs/Pictures/waterfall.svg"))
    let problems = check.problems().map(\.description).joined(separator: "\n")
    #expect(problems == "")
}

@Suite struct LinkCheckTests {
    private func problems(
        _ documents: [String: String], files: [String] = [], pictures: [String] = []
    ) -> [String] {
        LinkCheck(documents: documents, exists: { files.contains($0) }, pictures: pictures)
            .problems().map(\.description)
    }

    @Test func linksToPagesFilesAndHeadings() {
        let guide = "# Two `words`\n[back](../README.md#top), [here](#two-words)"
        let readme = "# Top\n[a](Docs/A.md#two-words) ![b](b.svg) [c](https://c.example/x#y)"
        #expect(problems(["README.md": readme, "Docs/A.md": guide], files: ["b.svg"]) == [])
    }

    @Test func missingFilesAndHeadings() {
        let readme = "[a](A.md)\n\n[`b`](B.md#c) and [d](#e)\n[f](../F.md)"
        #expect(
            problems(["README.md": readme, "B.md": "# B"]) == [
                "README.md:1: 'A.md' leads to no file",
                "README.md:3: 'B.md#c' leads to no heading of B.md",
                "README.md:3: '#e' leads to no heading of README.md",
                "README.md:4: '../F.md' leads to no file",
            ])
    }

    @Test func pagesThatAreNotReached() {
        let documents = [
            "README.md": "[a](A.md)", "A.md": "[b](B.md)", "B.md": "", "C.md": "[d](D.md)",
            "D.md": "",
        ]
        #expect(
            problems(documents) == [
                "C.md:1: no link leads here from README.md",
                "D.md:1: no link leads here from README.md",
            ])
    }

    @Test func picturesThatNoPageShows() {
        let readme = "![A line](a.svg)"
        #expect(
            problems(
                ["README.md": readme], files: ["a.svg", "b.svg"], pictures: ["a.svg", "b.svg"])
                == ["b.svg:1: no page shows it"])
    }

    @Test func picturesWithoutText() {
        #expect(
            problems(["README.md": "![A line](a.svg)\n\n![ ](a.svg)"], files: ["a.svg"]) == [
                "README.md:3: a picture has no text that says what is seen"
            ])
    }

    @Test func codeHasNoLinksAndNoHeadings() {
        let readme = "```text\n[a](A.md)\n# B\n```\n`[c](C.md)`, [b](#b)"
        #expect(
            problems(["README.md": readme]) == [
                "README.md:5: '#b' leads to no heading of README.md"
            ])
    }

    @Test(arguments: [
        ("## What is *new*, and why?", "what-is-new-and-why"),
        ("# `HTTPClient` & co.", "httpclient--co"),
        ("### See [A page](A.md)", "see-a-page"),
        ("# snake_case 1.0", "snake_case-10"),
    ])
    func namesOfHeadings(heading: String, name: String) {
        #expect(Link.anchors(in: "\(heading)\ntext\n\(heading)") == [name, "\(name)-1"])
    }
}
