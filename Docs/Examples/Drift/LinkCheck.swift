/// Follows the relative links of the documents.
///
/// A link leads to a file of the repository, and behind `#` to a heading by the name that GitHub gives it. Links to
/// other sites are not followed; links in code are none.
struct LinkCheck {
    /// The page from which all others are reached.
    static let start = "README.md"

    /// The Markdown documents, by path from the root.
    var documents: [String: String]
    /// Whether there is a file or a folder at a path from the root.
    var exists: (String) -> Bool
    /// The paths of all pictures from the root.
    var pictures: [String] = []

    /// Every link that leads nowhere, every page that no link leads to, every picture that no page shows or that is
    /// shown without words for readers who do not see it.
    func problems() -> [Problem] {
        var problems: [Problem] = []
        var targets: [String: Set<String>] = [:]
        let anchors = documents.mapValues { Set(Link.anchors(in: $0)) }
        for (page, text) in documents {
            for link in Link.all(in: text) {
                let parts = link.target.split(
                    separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let file = parts[0].isEmpty ? page : Link.path(String(parts[0]), from: page)
                targets[page, default: []].insert(file)
                if let message = wrong(file, parts.count > 1 ? String(parts[1]) : nil, anchors) {
                    problems.append(Problem(page, link.line, "'\(link.target)' \(message)"))
                }
            }
        }
        let reached = reached(by: targets)
        for page in documents.keys where !reached.contains(page) {
            problems.append(Problem(page, 1, "no link leads here from \(Self.start)"))
        }
        for picture in pictures where !reached.contains(picture) {
            problems.append(Problem(picture, 1, "no page shows it"))
        }
        for (page, text) in documents {
            problems += Link.linesOfPicturesWithoutText(in: text).map {
                Problem(page, $0, "a picture has no text that says what is seen")
            }
        }
        return problems.sorted { ($0.path, $0.line) < ($1.path, $1.line) }
    }

    private func wrong(
        _ file: String, _ anchor: String?, _ anchors: [String: Set<String>]
    ) -> String? {
        guard documents[file] != nil || exists(file) else { return "leads to no file" }
        guard let anchor, let known = anchors[file], !known.contains(anchor) else { return nil }
        return "leads to no heading of \(file)"
    }

    private func reached(by targets: [String: Set<String>]) -> Set<String> {
        var reached: Set = [Self.start]
        var left = [Self.start]
        while let page = left.popLast() {
            for target in targets[page] ?? [] where reached.insert(target).inserted {
                left.append(target)
            }
        }
        return reached
    }
}
