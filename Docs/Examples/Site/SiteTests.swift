import Testing

@Suite struct SiteTests {
    private let pages: [String: SitePage] = [
        "README.md": SitePage(
            path: "README.md", name: "Glance", text: "# Top\n## Two `words` here"),
        "Docs/A.md": SitePage(path: "Docs/A.md", name: "A", text: "# A page\n## It's so"),
    ]

    private func converted(_ text: String) -> (text: String, pictures: [String]) {
        SitePage(path: "Docs/B.md", name: "B", text: text).converted(among: pages)
    }

    @Test func linksLeadToPagesByName() {
        #expect(
            converted("[a\nlink](A.md) and [here](../README.md#two-words-here)").text
                == "[a link](<doc:A>) and [here](<doc:Glance#Two-words-here>)")
        #expect(converted("[so](A.md#its-so)").text == "[so](<doc:A#Its-so>)")
        #expect(converted("[title](A.md#a-page)").text == "[title](<doc:A>)")
    }

    @Test func otherLinksAreLeftOrLoseTheirTarget() {
        #expect(converted("[x](https://x.test/a)").text == "[x](https://x.test/a)")
        #expect(converted("[the licence](../LICENSE)").text == "the licence")
        #expect(converted("`[a](A.md)` and [a](A.md)").text == "`[a](A.md)` and [a](<doc:A>)")
    }

    @Test func picturesStandBesideThePage() {
        let page = converted("![what is seen](Pictures/one.svg)\n")
        #expect(page.text == "![what is seen](one.svg)\n")
        #expect(page.pictures == ["Docs/Pictures/one.svg"])
    }

    @Test func fencesKeepTheirLinesAndTheirLanguage() {
        #expect(
            converted("```swift A.swift#x fresh\n[a](A.md)\n```\n\n```text Out.txt\nb\n```\nend")
                .text
                == "```swift\n[a](A.md)\n```\n\n```\nb\n```\nend")
    }

    @Test func theIndexBecomesTopics() {
        let site = Site([
            Site.index: """
            # Book

            Intro.

            ## First

            - [a](Guides/A.md)

            ## Then

            - [d](D/README.md)
            """,
            "Docs/Guides/A.md": "# A",
            "Docs/D/README.md": "# D\n[a](../Guides/A.md) and [c](C.md)",
            "Docs/D/C.md": "# C",
        ])
        let files = site.catalog().files
        #expect(
            files["Book.md"] == """
                # Book

                @Metadata {
                    @TechnologyRoot
                }


                Intro.

                ## Topics

                ### First

                - <doc:A>

                ### Then

                - <doc:D>

                """)
        #expect(files["D.md"]?.hasSuffix("## Topics\n\n### Pages\n\n- <doc:C>\n") == true)
        #expect(site.missing().isEmpty)
    }

    @Test func aPageThatNoIndexListsIsNamed() {
        let site = Site([Site.index: "# Book\n\n## First\n", "Docs/A.md": "# A"])
        #expect(site.missing() == ["Docs/A.md"])
    }

    @Test func pagesOfOneNameGetTwo() {
        let site = Site(["Docs/A/Same.md": "# One", "Docs/B/Same.md": "# Two"])
        #expect(Set(site.pages.values.map(\.name)) == ["Same", "Same-page"])
    }

    @Test func everyPageStandsInTheBook() throws {
        let site = Site(try Repository.this.linkCheck().documents)
        #expect(site.missing() == [])
        #expect(site.pages.count > 80)
    }
}
