import Testing

/// What the checks of the cheat sheet read from sources and pages.
@Suite struct DeclarationTests {
    @Test func signaturesAndDefaults() {
        let source = """
            extension Future {
                public final func timeout<A: B>(
                    _ limit: Duration, on scheduler: some FutureScheduler = .live,
                    fileID: StaticString = #fileID, line: UInt = #line
                ) -> Future<Value> {
                }
            }
            public func zip(_ all: repeat Future<each A>, by f: (A, B) -> C = { $0 }) -> D {}
            """
        let all = Declaration.all(in: source)
        #expect(all.map(\.signature) == ["timeout(_:on:)", "zip(_:by:)"])
        #expect(all.map(\.type) == ["Future", ""])
        #expect(all[0].parameters[1].defaultValue == ".live")
        #expect(all[1].parameters[1].defaultValue == "{ $0 }")
    }

    @Test func nestedTypesShiftsAndInitialisers() {
        let source = """
            public struct A {
                enum State {
                }
                public init(_ size: Int = 64 << 20, backoff: Backoff = .equal(base: 5, cap: 3)) {
                }
            }
            """
        let all = Declaration.all(in: source)
        #expect(all.map(\.type) == ["A"])
        #expect(
            CheatSheet.defaults(of: all) == [
                "A": ["_: 64 << 20", "backoff: .equal(base: 5, cap: 3)"]
            ])
    }

    @Test func internalOnesAreLeftOut() {
        let source = """
            extension Future {
                @inlinable
                public func b() {}
                func c() {}
            }
            """
        #expect(Declaration.all(in: source).map(\.name) == ["b"])
    }

    @Test func tables() {
        let page = "| A | B |\n|---|---|\n| `a`, `b` | c |\n\n```text\n| D |\n|---|\n| d |\n```\n"
        let tables = MarkdownTable.all(in: page)
        #expect(tables.count == 1)
        #expect(tables.first?["B"] == ["c"])
        #expect(tables.first?["A"].flatMap(MarkdownTable.code) == ["a", "b"])
        #expect(tables.first?["C"] == [])
    }
}
