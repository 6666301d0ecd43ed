import Foundation

/// Which modules each module uses, by the manifest.
struct ModuleArrows {
    /// The modules of the package, by name, without targets of C and programs.
    let uses: [String: Set<String>]

    /// Reads the text of a manifest: its list `modules`, and the targets that bear these names.
    init(manifest: String) {
        let list = manifest.firstMatch(of: /let modules = \[([^\]]*)\]/)?.output.1 ?? ""
        let modules = Set(list.names)
        var uses: [String: Set<String>] = [:]
        let target =
            #/
            (?:module\(|\.target\(\s*name:)\s*"(\w+)"
            (?:,\s*(?:uses|dependencies):\s\[([^\]]*)\])?
            /#
        for match in manifest.matches(of: target) where modules.contains(String(match.output.1)) {
            uses[String(match.output.1)] = modules.intersection((match.output.2 ?? "").names)
        }
        self.uses = uses
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

extension Substring {
    /// The quoted words.
    fileprivate var names: [String] { matches(of: /"(\w+)"/).map { String($0.output.1) } }
}
