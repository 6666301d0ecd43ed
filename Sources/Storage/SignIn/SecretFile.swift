import PledgeHTTPMessages
import PledgeHTTPTransportKit

/// A file that only the current user can read, and that is replaced as a whole.
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

    /// In bytes; a full jar takes a fraction of it.
    private static let limit = 64 << 20

    /// The file's content; nil if there is no file.
    ///
    /// - Throws: An error that names the file if somebody else made it or can change it.
    func read() throws(FileError) -> Data? {
        try folder.read(name, upTo: Self.limit).map { Data($0.bytes) }
    }

    func createFolder() throws(FileError) { try folder.create() }

    /// Replaces the file, or removes it for nil; the change is on the disk when this returns.
    ///
    /// It also removes unfinished files of processes that have ended.
    func write(_ data: Data?) throws(FileError) {
        guard let data else { return try remove() }
        try folder.create()
        let now = Date.now.secondsSince1970
        // A newer unfinished file may belong to a process that's still writing.
        try? removeParts(usedBefore: (now - 60) * 1_000_000_000)
        // Not the process's number: two processes in two containers may have the same one.
        let part = "\(name).\(UInt64.random(in: 0 ... .max)).part"
        try folder.replace(name, with: Array(data), by: part, at: now * 1_000_000_000)
    }

    private func remove() throws(FileError) {
        do {
            try folder.remove(name)
            // Unfinished files may contain the secret too. A process that's writing one now fails.
            try removeParts(usedBefore: .max)
            try folder.syncFolder()
        } catch {
            // Without the folder, there's nothing to remove.
            if !error.isOfMissingFile { throw error }
        }
    }

    private func removeParts(usedBefore end: Int64) throws(FileError) {
        for file in try folder.files() where isPart(file.name) && file.used < end {
            try folder.remove(file.name)
        }
    }

    /// Returns whether a name is the file's, a number and "part", with dots between.
    private func isPart(_ other: String) -> Bool {
        guard other.hasPrefix(name + "."), other.hasSuffix(".part") else { return false }
        let number = other.utf8.dropFirst(name.utf8.count + 1).dropLast(5)
        return !number.isEmpty && number.allSatisfy { (0x30...0x39).contains($0) }
    }
}
