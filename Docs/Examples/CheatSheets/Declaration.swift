/// A public function or initialiser, as its source declares it.
struct Declaration: Hashable {
    /// One parameter: the label that a caller writes, and what the compiler takes if it is left out.
    struct Parameter: Hashable {
        let label: String
        let defaultValue: String?
    }

    /// The type that it is declared in, or that its extension names; empty at file scope.
    let type: String
    /// The name, `init` for an initialiser.
    let name: String
    let parameters: [Parameter]

    /// The name with its labels, like `timeout(_:on:)`, without those of a place in the source.
    var signature: String {
        let labels = parameters.map(\.label).filter { !["fileID", "line"].contains($0) }
        return "\(name)(\(labels.map { "\($0):" }.joined()))"
    }
}

extension Declaration {
    /// Every public function and initialiser of a file.
    static func all(in source: String) -> [Declaration] {
        let lines = source.lines
        var declarations: [Declaration] = []
        var types: [(indent: Int, name: String)] = []
        for (index, line) in lines.enumerated() {
            let indent = line.prefix { $0 == " " }.count
            if let name = declaredType(line) {
                types = types.filter { $0.indent < indent } + [(indent, name)]
            }
            guard let name = declaredFunction(line) else {
                continue
            }
            let code = lines[index...].joined(separator: "\n")
            guard let list = parameterList(of: code, behind: name) else { continue }
            let type = types.last { $0.indent < indent }?.name ?? ""
            declarations.append(
                Declaration(
                    type: type, name: name, parameters: split(list).compactMap(parameter)))
        }
        return declarations
    }

    /// The type that a line opens, with those around it left out.
    private static func declaredType(_ line: String) -> String? {
        let words = line.split { " :<{".contains($0) }.map(String.init)
        let kinds: Set = ["struct", "class", "enum", "protocol", "extension"]
        guard let index = words.firstIndex(where: kinds.contains), index + 1 < words.count,
            words[..<index].allSatisfy({ ["public", "final", "@MainActor"].contains($0) })
        else { return nil }
        return words[index + 1]
    }

    private static func declaredFunction(_ line: String) -> String? {
        let words = line.split(separator: " ").map(String.init)
        guard words.first == "public" else { return nil }
        for (word, next) in zip(words, words.dropFirst()) where word == "func" {
            return String(next.prefix { $0.isLetter || $0.isNumber })
        }
        return words.contains { $0.hasPrefix("init(") || $0.hasPrefix("init?(") } ? "init" : nil
    }

    /// What stands between the parentheses of a function.
    private static func parameterList(of code: String, behind name: String) -> String? {
        // An arrow and a shift are no brackets.
        let code = code.replacing("->", with: "→").replacing("<<", with: "≪")
        guard let start = code.ranges(of: name).first?.upperBound else { return nil }
        var rest = code[start...]
        if rest.first == "<" { rest = rest.drop { $0 != "(" } }
        guard let open = rest.firstIndex(of: "(") else { return nil }
        var depth = 0
        for index in rest[open...].indices {
            if "([{<".contains(rest[index]) { depth += 1 }
            if ")]}>".contains(rest[index]) { depth -= 1 }
            if depth == 0 { return String(rest[rest.index(after: open)..<index]) }
        }
        return nil
    }

    /// The parameters, at the commas that stand in no brackets.
    private static func split(_ list: String) -> [String] {
        var (parts, depth) = ([""], 0)
        for character in list {
            if "([{<".contains(character) { depth += 1 }
            if ")]}>".contains(character) { depth -= 1 }
            if character == ",", depth == 0 {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts.map(\.trimmed).filter { !$0.isEmpty }
    }

    private static func parameter(_ text: String) -> Parameter? {
        guard let label = text.split(whereSeparator: { $0 == " " || $0 == ":" }).first else {
            return nil
        }
        let value = text.ranges(of: " = ").first.map {
            String(text[$0.upperBound...]).replacing("≪", with: "<<")
        }
        return Parameter(label: String(label), defaultValue: value)
    }
}
