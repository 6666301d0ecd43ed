/// The tables of a guide that list what the code has, and the code that they list.
struct CheatSheet {
    let tables: [MarkdownTable]

    /// Reads one section of Docs/Guides/CheatSheet.md.
    init(section: String) throws {
        let sections = try Self.guide("CheatSheet").split(separator: "\n## ")
        let text = sections.first { $0.hasPrefix("\(section)\n") }
        tables = MarkdownTable.all(in: text.map(String.init) ?? "")
    }

    /// Reads a whole page of Docs/Guides.
    init(page name: String) throws { tables = MarkdownTable.all(in: try Self.guide(name)) }

    private static func guide(_ name: String) throws -> String {
        try Repository.this.check().documents["Docs/Guides/\(name).md"] ?? ""
    }

    /// The public functions and initialisers of the files of one folder, by path from the root.
    static func declarations(in folder: String) throws -> [Declaration] {
        try Repository.this.check().sources
            .filter { $0.key.hasPrefix(folder) && !$0.key.hasSuffix("DeprecatedNames.swift") }
            .sorted { $0.key < $1.key }.flatMap { Declaration.all(in: $0.value) }
    }

    /// The defaults that declarations have, each as `label: value`, by the name that a sheet gives them.
    static func defaults(
        of declarations: [Declaration], without common: Set<String> = []
    ) -> [String: Set<String>] {
        var defaults: [String: Set<String>] = [:]
        for declaration in declarations {
            let pairs = declaration.parameters.compactMap { parameter in
                parameter.defaultValue.map { "\(parameter.label): \($0)" }
            }
            let isPlace = { (pair: String) in pair.hasSuffix("#fileID") || pair.hasSuffix("#line") }
            let shown = pairs.filter { !common.contains($0) && !isPlace($0) }
            defaults[declaration.shownName, default: []].formUnion(shown)
        }
        return defaults
    }

    /// The defaults that a table shows, by the code in its first column.
    static func defaults(shownIn table: MarkdownTable) -> [String: Set<String>] {
        var defaults: [String: Set<String>] = [:]
        for (name, cell) in zip(table["Declaration"], table["Defaults"]) {
            let names = MarkdownTable.code(in: name)
            defaults[names.first ?? name] = Set(MarkdownTable.code(in: cell))
        }
        return defaults
    }
}

extension Declaration {
    /// The name in a sheet: that of the type for an initialiser, of a middleware its own.
    var shownName: String {
        if name == "init" { return type }
        return ["", "Middleware"].contains(type) ? name : "\(type).\(name)"
    }
}
