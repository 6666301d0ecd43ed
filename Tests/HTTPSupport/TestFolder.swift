package import Foundation

/// A temporary folder of a test, removed when this object is released.
package final class TestFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory
            .appendingPathComponent("pledge-test-\(UUID().uuidString)").resolvingSymlinksInPath()
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func file(_ name: String, _ data: Data? = nil) throws -> URL {
        let file = url.appendingPathComponent(name)
        try data?.write(to: file)
        return file
    }

    /// The sorted names of the folder's contents.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    /// The descriptors that this process has open for a file.
    package static func descriptors(of file: URL) -> [Int32] {
        all.filter { path(of: $0) == file.path }
    }

    private static var all: [Int32] {
        #if canImport(Darwin)
        Array(0..<4_096)
        #else
        // Tests that run at the same time may have thousands.
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?
            .compactMap { Int32($0) }.sorted() ?? []
        #endif
    }

    private static func path(of descriptor: Int32) -> String? {
        #if canImport(Darwin)
        var path = [CChar](repeating: 0, count: Int(MAXPATHLEN))
        guard fcntl(descriptor, F_GETPATH, &path) == 0 else { return nil }
        return String(cString: path)
        #else
        return try? FileManager.default.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/\(descriptor)")
        #endif
    }
}
