// Writes the packages that the steps of a tutorial make, for `.ci/tutorial` to compile and run:
//
//     tutorial FOLDER PAGE
//
// The package after step N is FOLDER/N/package; FOLDER/N/M.sh has commands of the step, and FOLDER/N/M.txt
// what the page says that they print.
import Foundation

func write(_ lines: [String], to path: String) throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = lines.map { $0 + "\n" }.joined()
    try text.write(toFile: path, atomically: false, encoding: .utf8)
}

let folder = CommandLine.arguments[1]
let page = try String(contentsOfFile: CommandLine.arguments[2], encoding: .utf8)
for (step, package) in PagePackage.all(in: page).enumerated() {
    let place = "\(folder)/\(step + 1)"
    try write([package.heading], to: "\(place)/heading")
    for (path, lines) in package.files { try write(lines, to: "\(place)/package/\(path)") }
    for (number, run) in package.runs.enumerated() {
        try write(run.commands, to: "\(place)/\(number + 1).sh")
        try write(run.output, to: "\(place)/\(number + 1).txt")
    }
}
