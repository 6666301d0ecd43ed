/// One Swift block of a page, taken apart into what stands at its left edge.
struct PageBlock {
    /// One import, declaration or statement, with the comments and attributes above it.
    struct Item: Equatable {
        enum Kind { case `import`, declaration, statement }
        let kind: Kind
        /// The line of the page at which it begins, counted from 1.
        let line: Int
        let lines: [String]
    }

    /// What the info string says behind the file and the slice.
    private(set) var words: [String]
    private(set) var items: [Item]

    init(_ fence: Fence) {
        words = Array(fence.words.dropFirst(2))
        items = Self.items(of: fence.lines, from: fence.line + 1)
    }

    /// The block with its imports alone.
    var imports: PageBlock {
        var block = self
        block.words = []
        block.items.removeAll { $0.kind != .import }
        return block
    }

    /// Whether it holds imports and nothing else.
    var isImport: Bool { items.allSatisfy { $0.kind == .import } }

    /// Whether code above it could see what it declares.
    var declares: Bool { items.contains { $0.kind == .declaration } }

    /// The module that must exist for what it imports, where it does not exist everywhere.
    var condition: String? {
        let imported = items.filter { $0.kind == .import }.compactMap(\.lines.first)
        let conditions = [
            "SwiftUI": "SwiftUI", "UIKit": "UIKit", "os": "os",
            "Hummingbird": "Hummingbird", "ServiceLifecycle": "ServiceLifecycle",
            // These modules are there without their traits too, and empty.
            "PledgeAsyncHTTPClientTransport": "AsyncHTTPClient",
            "PledgeHTTPTypesConversions": "HTTPTypes",
            "PledgeOpenTelemetryInstrumentation": "Tracing",
        ]
        return conditions.first { imported.contains("import \($0.key)") }?.value
    }

    /// The errors that its comments print.
    var errors: [String] {
        items.flatMap(\.lines).map(\.trimmed).filter { $0.hasPrefix("// error: ") }
            .map { String($0.dropFirst("// error: ".count)) }
    }

    private static func items(of lines: [String], from first: Int) -> [Item] {
        let indents = lines.filter { !$0.trimmed.isEmpty }.map { $0.prefix { $0 == " " }.count }
        let edge = indents.min() ?? 0
        var groups: [(line: Int, lines: [String])] = []
        var (conditions, isOpen) = (0, false)
        for (offset, line) in lines.enumerated() {
            let text = String(line.dropFirst(edge))
            let continues = conditions > 0 || isOpen || !beginsItem(text)
            if continues, !groups.isEmpty {
                groups[groups.count - 1].lines.append(text)
            } else {
                groups.append((first + offset, [text]))
            }
            if text.hasPrefix("#if") { conditions += 1 }
            if text.hasPrefix("#endif") { conditions -= 1 }
            isOpen = beginsItem(text) ? isPreface(text) : isOpen
        }
        let first = groups.map { ($0, firstWord(of: $0.lines)) }
        let hasStatements = first.contains {
            !types.contains($1) && !["", "import", "func"].contains($1)
        }
        return first.map { group, word in
            let isFunction = word == "func" && (!hasStatements || isTest(group.lines))
            let isDeclared = types.contains(word) || isFunction
            let kind: Item.Kind =
                word == "import" ? .import : isDeclared ? .declaration : .statement
            return Item(kind: kind, line: group.line, lines: group.lines)
        }
    }

    private static let types: Set = [
        "struct", "enum", "class", "actor", "protocol", "extension", "typealias", "infix",
        "prefix", "postfix", "precedencegroup",
    ]
    private static let modifiers: Set = [
        "public", "package", "internal", "private", "fileprivate", "final", "nonisolated",
        "indirect", "static", "#if",
    ]

    /// Whether a line stands at the edge and closes or continues nothing.
    private static func beginsItem(_ text: String) -> Bool {
        guard let first = text.first else { return false }
        let continues = ["case ", "default:", "@unknown default:"].contains { text.hasPrefix($0) }
        return !continues && !first.isWhitespace && !"})].?:{".contains(first)
    }

    /// Whether the item that follows this line belongs to it: a comment, or attributes alone.
    private static func isPreface(_ text: String) -> Bool {
        text.hasPrefix("//") || text.hasPrefix("@") && firstWord(of: [text]).isEmpty
    }

    private static func isTest(_ lines: [String]) -> Bool {
        lines.contains { $0.hasPrefix("@Test") || $0.hasPrefix("@Suite") }
    }

    /// The first word that is no comment, attribute or modifier.
    private static func firstWord(of lines: [String]) -> String {
        let code = lines.filter { !$0.hasPrefix("//") }.joined(separator: "\n")
        var rest = code[...]
        while true {
            rest = rest.drop(while: \.isWhitespace)
            let word = rest.prefix { !$0.isWhitespace && $0 != "(" }
            rest = rest.dropFirst(word.count)
            if word.hasPrefix("@") {
                if rest.first == "(" { rest = rest.afterParentheses }
            } else if word == "#if" {
                rest = rest.drop { $0 != "\n" }
            } else if !modifiers.contains(String(word)) {
                return String(word)
            }
        }
    }
}

extension Substring {
    /// What stands behind the parentheses that the text begins with.
    fileprivate var afterParentheses: Substring {
        var depth = 0
        for index in indices {
            if self[index] == "(" { depth += 1 }
            if self[index] == ")" { depth -= 1 }
            if depth == 0 { return self[self.index(after: index)...] }
        }
        return ""
    }
}
