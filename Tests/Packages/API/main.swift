// Reads the symbol graphs of all modules, for the section `api` of `.ci/run`:
//
//     swift package dump-package | api GRAPHS SOURCES BASELINE [record]
//
// BASELINE has a text file for each product, with a line for each public symbol that is available. A module stands in
// the smallest of the products that show it. The command fails if a file differs from the graphs, if a symbol has no
// documentation, or if a name begins with an underscore. With `record` it writes the files.
import Foundation

struct SymbolGraph: Decodable {
    struct Symbol: Decodable {
        struct Kind: Decodable { let identifier: String }
        struct Identifier: Decodable { let precise: String }
        struct Comment: Decodable {}
        struct Fragment: Decodable { let spelling: String }
        struct Availability: Decodable { let isUnconditionallyUnavailable: Bool? }

        let kind: Kind
        let identifier: Identifier
        let pathComponents: [String]
        let docComment: Comment?
        let declarationFragments: [Fragment]?
        let availability: [Availability]?

        /// Whether it stands in the source: not an extension as such, nor what a protocol gives by itself.
        var isDeclared: Bool {
            kind.identifier != "swift.extension" && !identifier.precise.contains("::SYNTHESIZED::")
        }

        /// Whether a program may use it; some exist only for the compiler's message.
        var isAvailable: Bool {
            !(availability ?? []).contains { $0.isUnconditionallyUnavailable == true }
        }

        var path: String { pathComponents.joined(separator: ".") }

        /// "Future.map(_:)  func map<…": one line, with single spaces.
        var line: String {
            let declaration = (declarationFragments ?? []).map(\.spelling).joined()
            return path + "  "
                + declaration.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    let symbols: [Symbol]
}

/// What `swift package dump-package` prints, as far as products go.
struct Manifest: Decodable {
    struct Product: Decodable {
        let name: String
        let targets: [String]
        let type: [String: [String]?]
    }
    struct Target: Decodable {
        let name: String
        let path: String?
    }
    let products: [Product]
    let targets: [Target]
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count >= 3 else { fatalError("api GRAPHS SOURCES BASELINE [record]") }
let (graphs, sources, baseline) = (arguments[1], arguments[2], arguments[3])
let isRecording = arguments.count > 3 && arguments.last == "record"
let files = FileManager.default
var problems: [String] = []

// The symbols of each module.
var symbols: [String: [String: SymbolGraph.Symbol]] = [:]
for path in try files.subpathsOfDirectory(atPath: graphs) where path.hasSuffix(".symbols.json") {
    let data = try Data(contentsOf: URL(fileURLWithPath: graphs + "/" + path))
    let graph = try JSONDecoder().decode(SymbolGraph.self, from: data)
    let module = String(path.split(separator: "/").last?.prefix { $0 != "." && $0 != "@" } ?? "")
    for symbol in graph.symbols where symbol.isDeclared {
        symbols[module, default: [:]][symbol.identifier.precise] = symbol
    }
}
for (module, symbols) in symbols.sorted(by: { $0.key < $1.key }) {
    for symbol in symbols.values.sorted(by: { $0.path < $1.path }) {
        if symbol.docComment == nil {
            problems.append("\(module).\(symbol.path) has no documentation")
        }
        if symbol.pathComponents.contains(where: { $0.hasPrefix("_") }) {
            problems.append("\(module).\(symbol.path) begins with an underscore")
        }
    }
}

// The modules that each product shows: its targets, and what they re-export.
let manifest = try JSONDecoder().decode(
    Manifest.self, from: FileHandle.standardInput.readDataToEndOfFile())
let folders = Dictionary(
    manifest.targets.map { ($0.name, $0.path ?? "Sources/" + $0.name) }, uniquingKeysWith: { $1 })

func reexports(of module: String) throws -> [String] {
    guard let folder = folders[module] else { return [] }
    let path = sources + "/" + folder
    return try files.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(".swift") }.flatMap {
        try String(contentsOfFile: path + "/" + $0, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("@_exported public import Pledge") }
            .compactMap { $0.split(separator: " ").last.map(String.init) }
    }
}

var shown: [String: Set<String>] = [:]
for product in manifest.products where product.type["library"] != nil {
    var modules: Set<String> = []
    var open = product.targets
    while let module = open.popLast() {
        if modules.insert(module).inserted { open += try reexports(of: module) }
    }
    shown[product.name] = modules
}

// One file for each product.
var rest = Set(symbols.keys)
var count = 0
try files.createDirectory(atPath: baseline, withIntermediateDirectories: true)
let smallestFirst = shown.sorted { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
for (product, modules) in smallestFirst {
    var text = ""
    for module in modules.intersection(rest).sorted() {
        text += text.isEmpty ? "" : "\n"
        text += "module \(module)\n"
        let lines = symbols[module, default: [:]].values.filter(\.isAvailable).map(\.line).sorted()
        for line in lines { text += line + "\n" }
        count += lines.count
    }
    rest.subtract(modules)
    let file = baseline + "/" + product + ".txt"
    let old = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    guard old != text else { continue }
    if isRecording {
        try text.write(toFile: file, atomically: true, encoding: .utf8)
    } else {
        let change = text.split(separator: "\n").difference(from: old.split(separator: "\n"))
        for line in change.removals {
            if case .remove(_, let line, _) = line { print("- \(line)") }
        }
        for line in change.insertions {
            if case .insert(_, let line, _) = line { print("+ \(line)") }
        }
        problems.append(
            "\(product)'s public API is not what \(file) says: if that is meant, run `.ci/run record_api`"
        )
    }
}
for module in rest.sorted() { problems.append("no product shows \(module)") }

for problem in problems { FileHandle.standardError.write(Data("error: \(problem)\n".utf8)) }
let behindPledge = shown["Pledge", default: []]
    .reduce(0) { $0 + symbols[$1, default: [:]].values.filter(\.isAvailable).count }
print("\(count) public symbols; \(behindPledge) behind import Pledge")
exit(problems.isEmpty ? 0 : 1)
