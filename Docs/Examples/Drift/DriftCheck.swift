/// Compares the code that the documents show with the code that is compiled and run.
///
/// A fence names its source in its info string, `swift FILE#SLICE`, where FILE lies in
/// Docs/Examples or is a path from the root of the repository; `FILE#ONE+OTHER` shows two slices
/// with a blank line between. A fence of another language may
/// name a source too, and one without `#SLICE` shows the whole file. A fence without a language
/// is refused, so that no Swift code hides in one. On a tutorial a fence `swift to:PATH` is a file of
/// the reader's package, which `.ci/tutorial` compiles.
struct DriftCheck {
    /// Where a FILE without a path is looked for first.
    static let examples = "Docs/Examples/"
    /// The documents whose packages `.ci/tutorial` compiles.
    static let tutorials: Set = ["Docs/Guides/Tutorial.md"]

    /// The Markdown documents, by path from the root.
    var documents: [String: String]
    /// The source files that slices may come from, by path from the root.
    var sources: [String: String]

    /// Everything that is wrong, by file and line: nothing when documents and code agree.
    func problems() -> [Problem] {
        var problems: [Problem] = []
        var slices: [String: [Slice]] = [:]
        for (path, text) in sources {
            let found = Slice.all(in: text, at: path)
            slices[path] = found.slices
            problems += found.problems
        }
        var used: Set<String> = []
        for (path, text) in documents {
            for fence in Fence.all(in: text) {
                let outcome = check(fence, in: path, against: slices)
                problems += outcome.problems
                used.formUnion(outcome.used)
            }
        }
        for (path, all) in slices {
            for slice in all where !used.contains("\(path)#\(slice.name)") {
                problems.append(
                    Problem(path, slice.line, "slice '\(slice.name)' is in no document")
                )
            }
        }
        return problems.sorted { ($0.path, $0.line) < ($1.path, $1.line) }
    }

    private func check(
        _ fence: Fence,
        in document: String,
        against slices: [String: [Slice]]
    ) -> (problems: [Problem], used: [String]) {
        func refused(_ message: String?) -> [Problem] {
            message.map { [Problem(document, fence.line, $0)] } ?? []
        }
        guard fence.isClosed else { return (refused("the fence is never closed"), []) }
        guard !fence.language.isEmpty else {
            return (refused("the fence names no language: say swift FILE#SLICE, or text"), [])
        }
        if fence.destination != nil, Self.tutorials.contains(document) {
            let page = documents[document] ?? ""
            return (refused(PagePackage.problem(of: fence, in: page)), [])
        }
        let parts = fence.source?.split(separator: "#", maxSplits: 1).map(String.init) ?? []
        guard fence.language != "swift" || parts.count == 2 else {
            return (refused("the swift fence is untagged: say swift FILE#SLICE"), [])
        }
        guard let name = parts.first else { return ([], []) }
        guard let path = [Self.examples + name, name].first(where: { sources[$0] != nil }) else {
            return (refused("there is no file '\(name)' to take the fence from"), [])
        }
        guard parts.count == 2 else {
            let file = sources[path]?.lines ?? []
            return (refused(difference(fence.lines, file, source: path)), [])
        }
        let names = parts[1].split(separator: "+").map(String.init)
        let shown = names.compactMap { name in slices[path]?.first { $0.name == name } }
        guard shown.count == names.count, let first = shown.first else {
            return (refused("there is no slice '\(parts[1])' in \(path)"), [])
        }
        let lines = shown.map(\.lines.dedented).joined(separator: [""])
        let message = difference(fence.lines, Array(lines), source: "\(path):\(first.line)")
        return (refused(message), names.map { "\(path)#\($0)" })
    }

    /// The first line in which fence and source differ, told to a reader; nil when they agree.
    private func difference(_ fence: [String], _ source: [String], source name: String) -> String? {
        let (shown, real) = (fence.dedented, source.dedented)
        guard shown != real else { return nil }
        let index = zip(shown, real).enumerated().first { $1.0 != $1.1 }?.offset
        let first = index ?? Swift.min(shown.count, real.count)
        let text = { (lines: [String]) in first < lines.count ? "'\(lines[first])'" : "nothing" }
        return "the fence differs from \(name) in its line \(first + 1): "
            + "it says \(text(shown)), the code says \(text(real))"
    }
}
