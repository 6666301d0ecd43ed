import Foundation
import Testing

/// The charts of Docs/Guides/Performance.md, one for each group of cases, from the numbers in its table.
@Suite struct ChartPictures {
    /// The cases of each chart, by their names in the table.
    private static let groups: [String: [String]] = [
        "performance-settling": [
            "create, observe, resolve", "observe a settled", "8 observers on one", "contended",
            "await a settled", "await a pending", "future of an async closure",
        ],
        "performance-transforming": [
            "map of a settled", "10 maps then resolve", "100 maps then resolve", "10 flatMaps",
            "flatMap loop of 1,000 turns", "recover after a failure", "cancel a chain of 10",
        ],
        "performance-combining": [
            "zip of 3", "all of 100", "all of 10,000", "any of 10", "race of 10",
            "timeout that never fires", "timeout, 100,000 pending",
        ],
        "performance-composing": [
            "combine and chain, of futures", "combine and chain, of futures, unknown functions",
            "combine, of futures, unknown function", "chain, of futures, unknown functions",
            "combine", "chain", "combine, unknown function", "chain, unknown functions",
        ],
        "performance-networking": [
            "in-memory round trip", "HTTP round trip on loopback",
            "URLSession, one request at a time", "URLSession, 32 requests at a time",
            "AsyncHTTPClient, one request at a time", "AsyncHTTPClient, 32 requests at a time",
            "POST of JSON, client with its defaults", "POST of JSON, client with all slots",
        ],
        "performance-libcurl": [
            "libcurl, one request at a time", "libcurl inline, one request at a time",
            "libcurl, 32 requests at a time", "libcurl, HTTP/2, 100 requests at a time",
        ],
        "performance-policies": [
            "policies over a settled service", "pass-through middleware",
            "8 policies over a settled service",
        ],
        "performance-stores": [
            "dispatch, one observer", "dispatch, 1,000 of another part",
            "dispatch, 1,000 derived parts",
        ],
        "performance-simulation": ["simulated call"],
    ]

    private func table() throws -> BenchmarkTable {
        let page = Repository.this.root.appendingPathComponent("Docs/Guides/Performance.md")
        return BenchmarkTable(page: try String(contentsOf: page, encoding: .utf8))
    }

    @Test(arguments: groups.keys.sorted())
    func performance(group: String) throws {
        let cases = try #require(Self.groups[group]).compactMap { name in
            try table().cases.first { $0.name == name }
        }
        let names = cases.map(\.name)
        #expect(names == Self.groups[group])
        let picture = Picture(
            group, title: "Time per operation, relative to the first way of each case",
            description: """
                Bars for the cases: \(names.joined(separator: "; ")). Docs/Guides/Performance.md has the \
                numbers.
                """)
        let drawn = ChartPicture(picture).drawn(cases)
        let texts = drawn.shapes.compactMap(\.text)
        for subject in cases {
            #expect(texts.contains(subject.name))
            for other in subject.others { #expect(texts.contains(other.way)) }
        }
        try drawn.check()
    }

    @Test func everyCaseIsInOneChart() throws {
        let drawn = Self.groups.values.flatMap { $0 }
        #expect(try table().cases.map(\.name).sorted() == drawn.sorted())
    }

    @Test(arguments: [
        (21_276.6, "21,000×"), (172.4, "170×"), (21.28, "21×"), (2.94, "2.9×"), (1, "1×"),
        (0.5556, "0.56×"), (0.1, "0.10×"), (0.0901, "1/11"),
    ])
    func factors(factor: Double, text: String) {
        #expect(ChartPicture.text(of: factor) == text)
    }

    @Test func tablesAreRead() {
        let page = """
            | other | way | ns/op | spread | allocs/op | bytes/op | Pledge/it |
            <!-- benchmarks: begin -->
            | case | way | ns/op | spread | allocs/op | bytes/op | Pledge/it |
            | --- | --- | ---: | ---: | ---: | ---: | ---: |
            | a | Pledge | 1,250 | ±11 % ! | 2 | 192 |  |
            |  | closure | 17.2 | ±6 % | 0 | 0 | 4 |
            """
        let cases = BenchmarkTable(page: page).cases
        #expect(cases.map(\.name) == ["a"])
        #expect(cases.first?.time == "1.3 µs")
        #expect(cases.first?.others.map(\.way) == ["closure"])
        #expect(cases.first?.others.first?.factor == 0.25)
    }
}
