// Writes the book as a catalog for DocC, for `.ci/site`:
//
//     site FOLDER
//
// It fails where a page stands in no index.
import Foundation

let folder = CommandLine.arguments[1]
let site = Site(try Repository.this.linkCheck().documents)
let missing = site.missing()
guard missing.isEmpty else {
    print("error: \(Site.index) lists everything but \(missing.joined(separator: ", "))")
    exit(1)
}
let (files, pictures) = site.catalog()
for (name, text) in files {
    try text.write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
}
for path in pictures {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    try FileManager.default.copyItem(
        at: Repository.this.root.appendingPathComponent(path),
        to: URL(fileURLWithPath: "\(folder)/\(name)"))
}
print("\(files.count) pages, \(pictures.count) pictures")
