import Testing

/// What a reader's program is made from; `.ci/pages` has the compiler judge it.
@Suite struct PageProgramTests {
    private func programs(_ blocks: (words: String, code: String)...) -> [PageProgram] {
        let page = blocks.map { "```swift A.swift#a \($0.words)\n\($0.code)\n```\n" }.joined()
        return PageProgram.all(in: page, at: "G.md")
    }

    /// The lines of a program, without what says where they stand on the page.
    private func lines(_ program: PageProgram?) -> [String] {
        (program?.source ?? "").lines.filter { !$0.hasPrefix("#sourceLocation") && !$0.isEmpty }
    }

    @Test func importsAndTypesStandAtFileScopeAndEachBlockInsideTheOneBefore() {
        let all = programs(
            ("", "import Pledge\n\nlet a = 1"), ("", "struct A {\n    let b = 2\n}"),
            ("", "let a = a"))
        #expect(
            lines(all.last) == [
                "import Pledge", "struct A {", "    let b = 2", "}",
                "@MainActor func page() async throws {", "let a = 1", "do {", "do {", "let a = a",
                "do {", "_ = ()", "}", "}", "}", "}",
            ])
    }

    @Test func theCompilerFindsThePagesOwnLines() {
        let page = "# Title\n\n```swift A.swift#a\nimport Pledge\n\nlet a = 1\n```\n"
        let source = PageProgram.all(in: page, at: "G.md").first?.source ?? ""
        #expect(source.contains("#sourceLocation(file: \"G.md\", line: 4)\nimport Pledge\n"))
        #expect(source.contains("#sourceLocation(file: \"G.md\", line: 6)\nlet a = 1\n"))
    }

    @Test func aProgramEndsBeforeABlockThatDeclares() {
        let all = programs(("", "f(A())"), ("", "struct A {}"), ("", "g()"), ("", "extension A {}"))
        #expect(all.map { lines($0).contains("struct A {}") } == [false, true, true])
        #expect(all.map { lines($0).contains("extension A {}") } == [false, false, true])
    }

    @Test(arguments: [
        "public final class A {}", "@MainActor\nfinal class A {}", "// Why.\nenum A {}",
        "@available(macOS 15, *)\n@MainActor struct A {}", "nonisolated extension A {}",
        "typealias A = B", "func f() {}", "#if canImport(Foundation)\nstruct A {}\n#endif",
        "let a = 1\n@Test func f() {}",
    ])
    func declarations(code: String) {
        let program = lines(programs(("", code)).first)
        let scope = program.firstIndex(of: "@MainActor func page() async throws {") ?? 0
        #expect(program[..<scope].contains(code.lines.last ?? ""))
    }

    @Test(arguments: [
        "let a = 1", "a.f()\n    .g()", "let a = 1\nfunc f() {\n    a\n}", "for a in b {\n}",
        "switch a {\ncase .b: f()\ndefault: g()\n}",
        "@Sendable func f() {}\nf()",
    ])
    func statements(code: String) {
        let program = lines(programs(("", code)).first)
        #expect(program.first == "@MainActor func page() async throws {")
    }

    @Test func aFreshBlockKeepsTheImportsAlone() {
        let all = programs(
            ("", "import Pledge\nstruct A {}"), ("fresh", "struct A {}\nlet a = A()"))
        #expect(all.map { lines($0).count { $0 == "struct A {}" } } == [1, 1])
        #expect(all.map { lines($0).count { $0 == "import Pledge" } } == [1, 1])
    }

    @Test func aFailingBlockNamesItsErrorsAndIsSeenByNoOther() {
        let all = programs(
            ("", "struct A {}"), ("fails", "A().f()\n// error: no 'f'"), ("", "g()"))
        #expect(all.map(\.errors) == [["no 'f'"], []])
        #expect(all.map { lines($0).contains("A().f()") } == [true, false])
        #expect(all.map { lines($0).contains("g()") } == [false, true])
    }

    @Test func aFreshBlockThatFailsSeesTheImportsAlone() {
        let all = programs(
            ("isolated", "import Pledge\nstruct A {}"), ("fresh fails", "A()\n// error: no 'A'"))
        #expect(lines(all.first).contains("import Pledge"))
        #expect(!lines(all.first).contains("struct A {}"))
        #expect(all.map(\.isIsolated) == [false, true])
    }

    @Test func defaultIsolation() {
        #expect(programs(("isolated", "f()")).map(\.isIsolated) == [true])
        #expect(programs(("", "f()")).map(\.isIsolated) == [false])
    }

    @Test func frameworksOfApplesAlone() {
        let all = programs(("", "import Pledge"), ("", "import SwiftUI\nstruct A: View {}"))
        #expect(
            lines(all.last).prefix(7) == [
                "import Pledge", "#if canImport(SwiftUI)", "import SwiftUI", "#endif",
                "#if canImport(SwiftUI)", "struct A: View {}", "#endif",
            ])
    }

    @Test(arguments: [
        ("PledgeAsyncHTTPClientTransport", "AsyncHTTPClient"),
        ("PledgeHTTPTypesConversions", "HTTPTypes"),
        ("PledgeOpenTelemetryInstrumentation", "Tracing"),
    ])
    func moduleBehindATrait(_ module: String, _ package: String) {
        let block = "import \(module)\nlet transport = make()"
        #expect(
            lines(programs(("", block)).last).prefix(3) == [
                "#if canImport(\(package))", "import \(module)", "#endif",
            ])
    }

    @Test func otherLanguagesAndPagesWithoutCodeMakeNone() {
        #expect(PageProgram.all(in: "```text\nf()\n```", at: "G.md").isEmpty)
        #expect(programs(("", "import Pledge")).isEmpty)
    }
}
