/// The book as a catalog for DocC: its index is the first page, and says in what order one learns.
struct Site {
    /// The page that lists the others.
    static let index = "Docs/README.md"

    /// The pages, by path from the root.
    let pages: [String: SitePage]

    init(_ documents: [String: String]) {
        var names: Set<String> = []
        var pages: [String: SitePage] = [:]
        for (path, text) in documents.sorted(by: { $0.key < $1.key }) {
            var name = Self.name(of: path)
            while !names.insert(name).inserted { name += "-page" }
            pages[path] = SitePage(path: path, name: name, text: text)
        }
        self.pages = pages
    }

    /// The files of the catalog, by name, and the pictures to be copied into it, by path.
    func catalog() -> (files: [String: String], pictures: Set<String>) {
        var files: [String: String] = [:]
        var pictures: Set<String> = []
        for page in pages.values {
            var (text, shown) = page.converted(among: pages)
            pictures.formUnion(shown)
            if page.path == Self.index {
                // DocC shows the lists as topics, and asks for the mark below the title.
                let title = text.prefix { $0 != "\n" }
                let body = text.split(separator: "\n## ")[0].dropFirst(title.count)
                text = "\(title)\n\n@Metadata {\n    @TechnologyRoot\n}\n\(body)"
                text += topics(of: page)
            } else if page.path.hasSuffix("/README.md") {
                text += "\n## Topics\n\n### Pages\n\n" + list(children(of: page))
            }
            files[page.name + ".md"] = text
        }
        return (files, pictures)
    }

    /// The pages that the index does not list, nor a page of a folder that it lists.
    func missing() -> [String] {
        guard let index = pages[Self.index] else { return pages.keys.sorted() }
        let listed = index.links(to: pages)
        let below = listed.filter { $0.path.hasSuffix("/README.md") }
            .flatMap { children(of: $0) }
        let found = Set((listed + below + [index]).map(\.path))
        return pages.keys.filter { !found.contains($0) }.sorted()
    }

    /// The pages of a folder, in the order in which its own page links to them.
    private func children(of page: SitePage) -> [SitePage] {
        let folder = page.path.dropLast("README.md".count)
        return page.links(to: pages).filter { $0.path.hasPrefix(folder) }
    }

    /// The groups of the index: a heading, and the pages of the list below it.
    private func topics(of index: SitePage) -> String {
        var text = "\n## Topics\n"
        for part in index.text.split(separator: "\n## ").dropFirst() {
            let group = SitePage(path: index.path, name: "", text: String(part))
            text += "\n### \(part.prefix { $0 != "\n" })\n\n" + list(group.links(to: pages))
        }
        return text
    }

    private func list(_ pages: [SitePage]) -> String {
        pages.map { "- <doc:\($0.name)>\n" }.joined()
    }

    private static func name(of path: String) -> String {
        let parts = path.split(separator: "/").map(String.init)
        guard let file = parts.last else { return path }
        if path == index { return "Book" }
        if path == "README.md" { return "Pledge-at-a-glance" }
        let name = file == "README.md" ? parts[parts.count - 2] : file
        return name.hasSuffix(".md") ? String(name.dropLast(3)) : name
    }
}
