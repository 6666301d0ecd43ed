// Writes the programs that the Swift blocks of pages make, for `.ci/pages` to compile:
//
//     pages FOLDER PAGE...
//
// Each is a file FOLDER/PAGE.NUMBER.swift, beside one of the errors and one of the flags that it needs.
import Foundation

for page in CommandLine.arguments.dropFirst(2) {
    let text = try String(contentsOfFile: page, encoding: .utf8)
    for (number, program) in PageProgram.all(in: text, at: page).enumerated() {
        let name = page.replacingOccurrences(of: "/", with: "-")
        let path = "\(CommandLine.arguments[1])/\(name).\(100 + number)"
        let errors = program.errors.map { $0 + "\n" }.joined()
        let flags = program.isIsolated ? "-default-isolation MainActor\n" : "\n"
        try program.source.write(toFile: path + ".swift", atomically: false, encoding: .utf8)
        try errors.write(toFile: path + ".errors", atomically: false, encoding: .utf8)
        try flags.write(toFile: path + ".flags", atomically: false, encoding: .utf8)
    }
}
