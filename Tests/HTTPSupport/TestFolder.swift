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
    ///
    /// Files are compared by their numbers, since a file may have several paths: on
    /// Apple's systems the temporary folder is below both /var and /private/var.
    package static func descriptors(of file: URL) -> [Int32] {
        var wanted = stat()
        guard stat(file.path, &wanted) == 0 else { return [] }
        return all.filter { descriptor in
            var found = stat()
            return fstat(descriptor, &found) == 0
                && (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino)
        }
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
}
