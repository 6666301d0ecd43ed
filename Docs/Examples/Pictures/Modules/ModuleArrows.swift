import Foundation

/// Which modules each module uses.
struct ModuleArrows {
    /// The folders of Sources, without those of C and programs; each module's name is Pledge and its folder's.
    let uses: [String: Set<String>]

    init(uses: [String: Set<String>]) { self.uses = uses }

    /// Reads what the sources of a repository import.
    init(of repository: Repository) throws {
        let sources = repository.root.appending(path: "Sources")
        let folders = try FileManager.default.contentsOfDirectory(atPath: sources.path)
            .filter { $0.wholeMatch(of: /C[A-Z]\w+|quickstart/) == nil }
        uses = try Dictionary(
            uniqueKeysWithValues: folders.map { folder in
                let module = sources.appending(path: folder)
                let files = try FileManager.default.subpathsOfDirectory(atPath: module.path)
                let code = try files.filter { $0.hasSuffix(".swift") }
                    .map { try String(contentsOf: module.appending(path: $0), encoding: .utf8) }
                    .joined()
                let imports = code.matches(of: /(?m)^[@_a-z ]*import (\w+)$/).map { String($0.1) }
                return (folder, Set(folders.filter { imports.contains(Self.name(of: $0)) }))
            })
    }

    /// The name of a folder's module, as the manifest's function has it.
    static func name(of folder: String) -> String {
        folder.hasPrefix("Pledge") ? folder : "Pledge" + folder
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
