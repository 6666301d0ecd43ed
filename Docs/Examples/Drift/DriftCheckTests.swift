import Testing

/// The documents of this repository show the code that is compiled and run, and nothing else.
@Test func documentsAndCodeAgree() throws {
    let check = try Repository.this.check()
    #expect(check.documents.keys.contains("README.md"))
    #expect(check.documents.keys.contains("Docs/CHANGELOG.md"))
    #expect(check.sources.keys.contains("Docs/Examples/Drift/DriftCheckTests.swift"))
    let problems = check.problems().map(\.description).joined(separator: "\n")
    #expect(problems == "")
}

@Suite struct DriftCheckTests {
    /// A document with one fence, and a file with one slice.
    private func problems(
        fence: String,
        slice: String = "let a = 1",
        tag: String = "swift A.swift#a"
    ) -> [String] {
        let document = "# Title\n\n```\(tag)\n\(fence)\n```\n"
        return problems(document: document, source: snippet("a", slice))
    }

    private func problems(document: String, source: String) -> [String] {
        DriftCheck(documents: ["G.md": document], sources: ["Docs/Examples/A.swift": source])
            .problems().map(\.description)
    }

    private func snippet(_ name: String, _ code: String) -> String {
        "    // snippet: \(name)\n\(code)\n    // end snippet\n"
    }

    @Test func agreement() {
        #expect(problems(fence: "let a = 1") == [])
    }

    @Test func indentationIsNoDifference() {
        let slice = "        if x {\n\n            y()\n        }"
        #expect(problems(fence: "if x {\n\n    y()\n}", slice: slice) == [])
        #expect(problems(fence: "if x {\n\n  y()\n}", slice: slice).count == 1)
    }

    @Test func driftNamesFileLineAndBothTexts() {
        #expect(
            problems(fence: "let a = 2") == [
                "G.md:3: the fence differs from Docs/Examples/A.swift:1 in its line 1: "
                    + "it says 'let a = 2', the code says 'let a = 1'"
            ]
        )
    }

    @Test func aMissingLineIsDrift() {
        #expect(
            problems(fence: "let a = 1", slice: "let a = 1\nlet b = 2") == [
                "G.md:3: the fence differs from Docs/Examples/A.swift:1 in its line 2: "
                    + "it says nothing, the code says 'let b = 2'"
            ]
        )
        #expect(problems(fence: "let a = 1\nlet b = 2").count == 1)
    }

    @Test(arguments: [
        "swift", "Swift", " swift ", "swift A.swift", "swift A.swift#", "swift{1,2}", "swift,x",
    ])
    func untaggedFence(tag: String) {
        let found = problems(fence: "let a = 1", tag: tag)
        #expect(found.contains("G.md:3: the swift fence is untagged: say swift FILE#SLICE"))
    }

    @Test func bareFence() {
        let found = problems(fence: "let a = 1", tag: "")
        #expect(
            found.contains("G.md:3: the fence names no language: say swift FILE#SLICE, or text")
        )
    }

    @Test func missingFileAndMissingSlice() {
        #expect(
            problems(fence: "let a = 1", tag: "swift B.swift#a").contains(
                "G.md:3: there is no file 'B.swift' to take the fence from"
            )
        )
        #expect(
            problems(fence: "let a = 1", tag: "swift A.swift#b").contains(
                "G.md:3: there is no slice 'b' in Docs/Examples/A.swift"
            )
        )
    }

    @Test func severalSlicesInOneFence() {
        let source = snippet("a", "    f()") + snippet("b", "g()")
        let fence = { (lines: String) in "```swift A.swift#a+b fresh\n\(lines)\n```" }
        #expect(problems(document: fence("f()\n\ng()"), source: source) == [])
        #expect(problems(document: fence("f()\ng()"), source: source).count == 1)
        let missing = problems(document: fence("f()").replacing("+b", with: "+c"), source: source)
        #expect(missing.contains("G.md:1: there is no slice 'a+c' in Docs/Examples/A.swift"))
    }

    @Test func unusedSlice() {
        #expect(
            problems(document: "", source: "\n" + snippet("a", "f()")) == [
                "Docs/Examples/A.swift:2: slice 'a' is in no document"
            ]
        )
    }

    @Test func duplicateSlice() {
        let document = "```swift A.swift#a\nf()\n```"
        let source = snippet("a", "f()") + snippet("a", "f()")
        #expect(
            problems(document: document, source: source) == [
                "Docs/Examples/A.swift:4: slice 'a' is already at line 1"
            ]
        )
    }

    @Test func marksThatDoNotPair() {
        #expect(
            problems(document: "", source: "// snippet: a\nf()") == [
                "Docs/Examples/A.swift:1: slice 'a' has no 'end snippet'"
            ]
        )
        #expect(
            problems(document: "", source: "// end snippet") == [
                "Docs/Examples/A.swift:1: 'end snippet' without a 'snippet:'"
            ]
        )
        let nested = problems(document: "", source: "// snippet: a\n" + snippet("b", "f()"))
        #expect(nested.contains("Docs/Examples/A.swift:2: slice 'b' begins inside 'a'"))
    }

    @Test func pathsFromTheRoot() {
        let path = "Tests/Packages/X/main.swift"
        let check = DriftCheck(
            documents: ["README.md": "~~~~swift \(path)#a\nf()\n~~~~"],
            sources: [path: snippet("a", "f()")]
        )
        #expect(check.problems() == [])
    }

    @Test func otherLanguages() {
        #expect(problems(document: "```text\nPromise { }\n```", source: "") == [])
        let output = DriftCheck(
            documents: ["README.md": "```text Out.txt\none\ntwo\n```\n```text Out.txt\none\n```"],
            sources: ["Out.txt": "one\ntwo\n"]
        )
        #expect(
            output.problems().map(\.description) == [
                "README.md:5: the fence differs from Out.txt in its line 2: "
                    + "it says nothing, the code says 'two'"
            ]
        )
    }
}
