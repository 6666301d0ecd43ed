/// A page of the book, as DocC reads it.
///
/// DocC knows a page by its name alone, and a heading by its words. So links between pages are written as
/// `doc:NAME#HEADING`, links to other files of the repository lose their target, and pictures stand beside the page.
struct SitePage {
    /// The path from the root of the repository.
    let path: String
    /// The name by which DocC knows it.
    let name: String
    /// The Markdown, as it stands in the repository.
    let text: String

    /// The title: the words of the first heading.
    var title: String {
        let heading = text.lines.first { $0.hasPrefix("# ") } ?? name
        return String(heading.drop { $0 == "#" || $0 == " " })
    }

    /// The pages among others that it links to, in order, each once.
    func links(to pages: [String: SitePage]) -> [SitePage] {
        var seen: Set<String> = []
        return Link.all(in: text).compactMap { link in
            let file = link.target.split(separator: "#", omittingEmptySubsequences: false)[0]
            guard !file.isEmpty, let page = pages[Link.path(String(file), from: path)],
                seen.insert(page.name).inserted
            else { return nil }
            return page
        }
    }

    /// The text in DocC's form, and the pictures that it shows, by path.
    func converted(among pages: [String: SitePage]) -> (text: String, pictures: [String]) {
        var pictures: [String] = []
        var result: [String] = []
        var prose: [String] = []
        func endProse() {
            result += [convert(prose.joined(separator: "\n"), pages, &pictures)]
            prose = []
        }
        let fences = Dictionary(
            Fence.all(in: text).map { ($0.line, $0) }, uniquingKeysWith: { first, _ in first })
        var lines = text.lines.enumerated().makeIterator()
        while let (index, line) = lines.next() {
            guard let fence = fences[index + 1] else {
                if !line.hasPrefix("<!--") { prose.append(line) }
                continue
            }
            if !prose.isEmpty { endProse() }
            let mark = line.prefix { "`~ >".contains($0) }
            result.append(mark + (fence.language == "text" ? "" : fence.language))
            for _ in 0...fence.lines.count { if let next = lines.next() { result.append(next.1) } }
        }
        if !prose.isEmpty { endProse() }
        return (result.joined(separator: "\n"), pictures)
    }

    private func convert(
        _ prose: String, _ pages: [String: SitePage], _ pictures: inout [String]
    ) -> String {
        var shown: [String] = []
        let text = prose.replacing(/(!?)\[([^\]]*)\]\(([^()\s]+)\)/) { match in
            let (whole, mark, words, target) = match.output
            let isCode = prose[..<match.range.lowerBound].count { $0 == "`" } % 2 == 1
            if isCode || target.contains("://") { return String(whole) }
            let parts = target.split(separator: "#", omittingEmptySubsequences: false)
            let file = parts[0].isEmpty ? path : Link.path(String(parts[0]), from: path)
            if !mark.isEmpty {
                shown.append(file)
                return "![\(words)](\(file.split(separator: "/").last ?? ""))"
            }
            guard let page = pages[file] else { return String(words) }
            let heading = parts.count > 1 ? page.heading(named: String(parts[1])) : nil
            let fragment = heading.map { "#\($0)" } ?? ""
            return "[\(words.replacing("\n", with: " "))](<doc:\(page.name)\(fragment)>)"
        }
        pictures += shown
        return text
    }

    /// DocC's name of a heading, by the one that GitHub gives it.
    private func heading(named anchor: String) -> String? {
        let anchors = Link.anchors(in: text)
        let headings = Link.headings(in: text)
        guard let index = anchors.firstIndex(of: anchor), index > 0 else { return nil }
        let kept = headings[index].filter { !"`'\"*".contains($0) }
        return kept.split(separator: " ").joined(separator: "-")
    }
}
