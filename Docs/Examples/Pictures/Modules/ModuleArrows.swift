import Foundation

/// Which modules each module may import, as .ci/arrows checks it.
struct ModuleArrows {
    /// The modules of the package, by name, without targets of C and programs.
    let uses: [String: Set<String>]

    init(script: String) {
        var uses: [String: Set<String>] = [:]
        let table = script.prefix { _ in true }.split(separator: "# Frameworks").first ?? ""
        for match in table.matches(of: /([A-Za-z |]+)\)\s+echo "([^"]*)"/) {
            let used = Set(match.output.2.split(separator: " ").map(String.init))
            for name in match.output.1.split(separator: "|") { uses[name.trimmed] = used }
        }
        let modules = uses.keys.filter { !$0.isTargetOfC && $0.first?.isUppercase == true }
        self.uses = uses.filter { modules.contains($0.key) }
            .mapValues { $0.intersection(modules) }
    }

    /// The arrows that do not follow from others.
    var direct: [String: Set<String>] {
        uses.mapValues { used in
            used.subtracting(used.flatMap { reached(from: $0) })
        }
    }

    /// Modules with the same arrows to them and from them, in the order of their names.
    var groups: [[String]] {
        let direct = direct
        let users = { (name: String) in Set(direct.filter { $0.value.contains(name) }.keys) }
        let groups = Dictionary(grouping: direct.keys) { name in
            [direct[name] ?? [], users(name)]
        }
        return groups.values.map { $0.sorted() }.sorted { $0[0] < $1[0] }
    }

    private func reached(from name: String) -> Set<String> {
        (uses[name] ?? []).reduce(into: []) { all, next in
            all.insert(next)
            all.formUnion(reached(from: next))
        }
    }
}

extension StringProtocol {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespaces) }
    fileprivate var isTargetOfC: Bool {
        first == "C" && dropFirst().first?.isUppercase == true || self == "CFutures"
    }
}
