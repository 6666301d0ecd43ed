import PledgeHTTPMessages
import PledgeHTTPTransportKit

/// A file that only the current user may read, and that is replaced as a whole.
struct SecretFile: Sendable {
    private let folder: any StorageFolder
    private let name: String

    init(_ url: URL) {
        self.init(url.lastPathComponent, in: SystemFolder(url.deletingLastPathComponent()))
    }

    init(_ name: String, in folder: any StorageFolder) {
        self.folder = folder
        self.name = name
    }

    /// The largest content, in bytes: several times as much as a jar with all the cookies that it may have.
    private static let limit = 64 << 20

    /// Returns the file's content; nil if there is no file.
    ///
    /// - Throws: An error that names the file if somebody else has made it, or could change it.
    func read() throws(FileError) -> Data? {
        try folder.read(name, upTo: Self.limit).map { Data($0.bytes) }
    }

    /// Creates the file's folder if there is none.
    func createFolder() throws(FileError) { try folder.create() }

    /// Replaces the file, or removes it; the change is on the disk when this returns.
    ///
    /// Both also remove the parts of processes that ended while they wrote the file.
    func write(_ data: Data?) throws(FileError) {
        guard let data else { return try remove() }
        try folder.create()
        let now = Date.now.secondsSince1970
        // Another process may still be writing a newer part.
        try? removeParts(usedBefore: (now - 60) * 1_000_000_000)
        // Two processes, which may have the same number in two containers, don't write the same part.
        let part = "\(name).\(UInt64.random(in: 0 ... .max)).part"
        try folder.replace(name, with: Array(data), by: part, at: now * 1_000_000_000)
    }

    private func remove() throws(FileError) {
        do {
            try folder.remove(name)
            // A process that is just writing a part fails: the secret is gone for it too.
            try removeParts(usedBefore: .max)
            try folder.syncFolder()
        } catch {
            // Without its folder, there's nothing to remove.
            if !error.isOfMissingFile { throw error }
        }
    }

    private func removeParts(usedBefore end: Int64) throws(FileError) {
        for file in try folder.files() where isPart(file.name) && file.used < end {
            try folder.remove(file.name)
        }
    }

    /// Returns whether a name is the file's, a number, and "part", separated by dots.
    private func isPart(_ other: String) -> Bool {
        guard other.hasPrefix(name + "."), other.hasSuffix(".part") else { return false }
        let number = other.utf8.dropFirst(name.utf8.count + 1).dropLast(5)
        return !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) }
    }
}
