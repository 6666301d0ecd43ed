// Reads the symbol graphs of all modules, for the section `api` of `.ci/run`:
//
//     api FOLDER
//
// It prints how many public symbols there are, and fails if one has no documentation or a name that begins with an
// underscore.
import Foundation

struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        struct Identifier: Decodable { let precise: String }
        struct Comment: Decodable {}

        let kind: Kind
        let identifier: Identifier
        let pathComponents: [String]
        let docComment: Comment?

        /// Whether it stands in the source: not an extension as such, nor what a protocol gives by itself.
        var isDeclared: Bool {
            kind.identifier != "swift.extension" && !identifier.precise.contains("::SYNTHESIZED::")
        }
    }

    let symbols: [Symbol]
}

let folder = URL(fileURLWithPath: CommandLine.arguments[1])
let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    .filter { $0.hasSuffix(".symbols.json") }
var count = 0
var problems: [String] = []
for path in paths.sorted() {
    let data = try Data(contentsOf: folder.appendingPathComponent(path))
    let graph = try JSONDecoder().decode(SymbolGraph.self, from: data)
    let module = path.split(separator: "/").last?.prefix { $0 != "." && $0 != "@" } ?? ""
    for symbol in graph.symbols where symbol.isDeclared {
        let name = "\(module).\(symbol.pathComponents.joined(separator: "."))"
        if symbol.docComment == nil { problems.append("\(name) has no documentation") }
        if symbol.pathComponents.contains(where: { $0.hasPrefix("_") }) {
            problems.append("\(name) begins with an underscore")
        }
        count += 1
    }
}
for problem in problems { FileHandle.standardError.write(Data("error: \(problem)\n".utf8)) }
print("\(count) public symbols")
exit(problems.isEmpty ? 0 : 1)
