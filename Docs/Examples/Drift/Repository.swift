import Foundation

/// The files of this repository that the drift check reads.
struct Repository {
    /// The folder that holds Package.swift.
    let root: URL

    /// The repository that this file was compiled in.
    static let this = Repository(
        root: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    )

    /// The check over README.md, the Markdown under Docs, and all the code there is.
    func check() throws -> DriftCheck {
        let documents = try documents()
        var sources = ["Package.swift": try text(of: "Package.swift")]
        for folder in ["Docs/Examples", "Sources", "Tests", "Benchmarks"] {
            sources.merge(try files(under: folder, endingIn: ["swift", "txt"])) { first, _ in first
            }
        }
        return DriftCheck(documents: documents, sources: sources)
    }

    /// The check of the links of the same documents.
    func linkCheck() throws -> LinkCheck {
        LinkCheck(
            documents: try documents(),
            exists: { path in
                FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
            },
            pictures: try files(under: "Docs", endingIn: ["svg"]).keys.sorted())
    }

    private func documents() throws -> [String: String] {
        var documents = try files(under: "Docs", endingIn: ["md"])
        documents["README.md"] = try text(of: "README.md")
        return documents
    }

    private func text(of path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    private func files(under folder: String, endingIn extensions: Set<String>) throws
        -> [String: String]
    {
        let start = root.appendingPathComponent(folder).path
        var files: [String: String] = [:]
        for case let path as String in FileManager.default.enumerator(atPath: start) ?? .init() {
            let parts = path.split(separator: "/")
            let isBuilt = parts.contains { $0.hasPrefix(".") }
            let kind = path.split(separator: ".").last.map(String.init) ?? ""
            guard !isBuilt, extensions.contains(kind) else { continue }
            files["\(folder)/\(path)"] = try text(of: "\(folder)/\(path)")
        }
        return files
    }
}
