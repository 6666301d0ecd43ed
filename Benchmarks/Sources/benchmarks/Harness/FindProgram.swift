import Foundation

/// Finds a program in the folders of PATH or in /usr/sbin; nil if there is none.
func findProgram(_ name: String) -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return (path.split(separator: ":").map(String.init) + ["/usr/sbin"])
        .map { URL(fileURLWithPath: $0).appending(path: name) }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) }
}
