package import PledgeHTTPMessages

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The files of one folder, by name; each call blocks until the system has answered.
///
/// Tests pass a folder that loses everything that was not synced, or that fails. A write is durable once the file and
/// then the folder have been synced: `write`, `sync`, `rename`, `syncFolder`.
package protocol FileFolder: Sendable {
    /// Returns a file's bytes and version; nil if there is no such file.
    ///
    /// - Parameter limit: The largest size, in bytes; a larger file fails with `EFBIG`, and isn't read.
    /// - Throws: Also an error of a file that isn't the user's (`FileError.isOfForeignFile`).
    func read(
        _ name: String, upTo limit: Int
    ) throws(FileError) -> (bytes: [UInt8], version: FileVersion)?

    /// Returns a file's version without reading it; nil if there is no such file.
    func version(of name: String) -> FileVersion?

    /// Writes a new file, which only the user may read; fails if there is one with this name.
    ///
    /// - Parameter time: The time of the last write and of the last use, in nanoseconds since 1970. It's a part of the
    ///   file's version.
    func write(_ bytes: [UInt8], to name: String, at time: Int64) throws(FileError)

    /// Waits until a file's bytes are on the disk.
    func sync(_ name: String) throws(FileError)

    /// Renames a file, and replaces a file that has the new name.
    func rename(_ old: String, to new: String) throws(FileError)

    /// Removes a file; does nothing if there is none.
    func remove(_ name: String) throws(FileError)

    /// Waits until the names in the folder are on the disk.
    func syncFolder() throws(FileError)

    /// Creates the folder if there is none.
    func create() throws(FileError)
}

extension FileFolder {
    /// Replaces a file as a whole: it has its old content or its new one, whenever the system stops.
    ///
    /// - Parameters:
    ///   - part: The name of the new file until it's complete; a file with this name is removed first.
    ///   - time: The time of the last write and of the last use, in nanoseconds since 1970.
    package func replace(
        _ name: String, with bytes: [UInt8], by part: String, at time: Int64
    ) throws(FileError) {
        try remove(part)
        do {
            try write(bytes, to: part, at: time)
            try sync(part)
            try rename(part, to: name)
            try syncFolder()
        } catch {
            try? remove(part)
            throw error
        }
    }
}

extension FileError {
    package var isOfLargeFile: Bool { code == EFBIG }
}

/// The identity of a file's content, which changes with each replacement.
package struct FileVersion: Sendable {
    package var inode: UInt64
    package var size: Int
    /// The time of the last write, in nanoseconds since 1970.
    package var modified: Int64
    /// What the file takes of the disk, in bytes; not a part of the identity.
    package var space: Int

    /// Creates a version.
    ///
    /// - Parameter space: What the file takes of the disk, in bytes; nil for its size.
    package init(inode: UInt64, size: Int, modified: Int64, space: Int? = nil) {
        self.inode = inode
        self.size = size
        self.modified = modified
        self.space = space ?? max(0, size)
    }
}

extension FileVersion: Hashable {
    package static func == (left: FileVersion, right: FileVersion) -> Bool {
        (left.inode, left.size, left.modified) == (right.inode, right.size, right.modified)
    }

    package func hash(into hasher: inout Hasher) {
        inode.hash(into: &hasher)
        size.hash(into: &hasher)
        modified.hash(into: &hasher)
    }
}

package struct SystemFolder: FileFolder {
    /// The folder's path, without a slash at its end.
    package let path: String

    /// A folder by its URL; nothing is opened yet.
    package init(_ url: URL) {
        var path = url.isFileURL ? url.path : ""
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
    }

    package func create() throws(FileError) { try Self.create(path) }

    /// Creates a folder and those above it.
    private static func create(_ path: String) throws(FileError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        let error = last("mkdir", path)
        // A folder that exists may be in one that nobody may write.
        var facts = stat()
        if stat(path, &facts) == 0 { return }
        guard error.code == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex
        else { throw error }
        try create(String(path[..<slash]))
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw last("mkdir", path) }
    }

    private static func last(_ operation: String, _ path: String) -> FileError {
        FileError(operation: operation, code: errno, path: path)
    }

    package func path(of name: String) -> String { "\(path)/\(name)" }

    package func version(of name: String) -> FileVersion? {
        var facts = stat()
        guard lstat(path(of: name), &facts) == 0 else { return nil }
        return FileVersion(facts)
    }

    package func read(
        _ name: String, upTo limit: Int
    ) throws(FileError) -> (bytes: [UInt8], version: FileVersion)? {
        try read(name, upTo: limit) { file, start, size, _ in readBytes(file, start, size) }
    }

    /// Reads a file with a function that reads a part of it.
    ///
    /// - Parameter read: Reads a number of bytes to a place in memory, from a position in the file.
    package func read(
        _ name: String, upTo limit: Int,
        by read: (Int32, UnsafeMutablePointer<UInt8>, Int, Int) -> Int
    ) throws(FileError) -> (bytes: [UInt8], version: FileVersion)? {
        let path = path(of: name)
        guard let file = try Self.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return nil }
        defer { close(file) }
        let facts = try FileError.factsOfOwn(file, path)
        let size = Int(facts.st_size)
        guard size <= limit else { throw FileError(operation: "read", code: EFBIG, path: path) }
        var failure: FileError?
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let more = read(file, buffer.baseAddress! + count, size - count, count)
                if more == 0 { return }
                if more > 0 {
                    count += more
                } else if errno != EINTR {
                    failure = Self.last("read", path)
                    return
                }
            }
        }
        if let failure { throw failure }
        return (bytes, FileVersion(facts))
    }

    package func write(_ bytes: [UInt8], to name: String, at time: Int64) throws(FileError) {
        let path = path(of: name)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        guard let file = try Self.open(path, flags) else {
            throw FileError(operation: "open", code: ENOENT, path: path)
        }
        defer { close(file) }
        var failure: FileError?
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = writeBytes(file, UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 || errno != EINTR {
                    failure = Self.last("write", path)
                    return
                }
            }
        }
        if let failure {
            unlink(path)
            throw failure
        }
        setTimes(of: name, used: time, written: time)
    }

    package func sync(_ name: String) throws(FileError) {
        let path = path(of: name)
        guard let file = try Self.open(path, O_WRONLY | O_NOFOLLOW) else {
            throw FileError(operation: "open", code: ENOENT, path: path)
        }
        defer { close(file) }
        guard fsync(file) == 0 else { throw Self.last("fsync", path) }
    }

    package func rename(_ old: String, to new: String) throws(FileError) {
        guard renameFile(path(of: old), path(of: new)) == 0 else {
            throw Self.last("rename", path(of: new))
        }
    }

    package func remove(_ name: String) throws(FileError) {
        if unlink(path(of: name)) != 0, errno != ENOENT {
            throw Self.last("unlink", path(of: name))
        }
    }

    package func syncFolder() throws(FileError) {
        guard let file = try Self.open(path, O_RDONLY) else {
            throw FileError(operation: "open", code: ENOENT, path: path)
        }
        defer { close(file) }
        // Some file systems have no way to sync a folder.
        if fsync(file) != 0, errno != EINVAL, errno != ENOTSUP { throw Self.last("fsync", path) }
    }

    /// Notes when a file was last used and written, in nanoseconds since 1970; nil leaves the last write as it is.
    package func setTimes(of name: String, used: Int64, written: Int64?) {
        var kept = timespec()
        kept.tv_nsec = timeKept
        var times = (
            timespec(nanoseconds: used), written.map { timespec(nanoseconds: $0) } ?? kept
        )
        withUnsafePointer(to: &times) { pointer in
            pointer.withMemoryRebound(to: timespec.self, capacity: 2) { times in
                _ = utimensat(AT_FDCWD, path(of: name), times, AT_SYMLINK_NOFOLLOW)
            }
        }
    }

    /// Opens a file, which no child process inherits; nil if there is none.
    private static func open(_ path: String, _ flags: Int32) throws(FileError) -> Int32? {
        while true {
            let file = openFile(path, flags | O_CLOEXEC, 0o600)
            if file >= 0 { return file }
            switch errno {
            case EINTR: continue
            case ENOENT: return nil
            default: throw .ofOpening(path)
            }
        }
    }
}

extension FileVersion {
    fileprivate init(_ facts: stat) {
        #if canImport(Darwin)
        let time = facts.st_mtimespec
        #else
        let time = facts.st_mtim
        #endif
        self.init(
            inode: UInt64(facts.st_ino), size: Int(facts.st_size), modified: time.nanoseconds,
            space: Self.space(ofBlocks: Int(facts.st_blocks)))
    }

    /// Returns the bytes of the blocks that a file takes, which are more than its size.
    package static func space(ofBlocks blocks: Int) -> Int {
        let (space, isOver) = blocks.multipliedReportingOverflow(by: 512)
        return isOver || space < 0 ? .max : space
    }
}

extension timespec {
    fileprivate init(nanoseconds: Int64) {
        self.init()
        tv_sec = .init(nanoseconds / 1_000_000_000)
        tv_nsec = .init(nanoseconds % 1_000_000_000)
    }

    fileprivate var nanoseconds: Int64 { Int64(tv_sec) &* 1_000_000_000 &+ Int64(tv_nsec) }
}

// UTIME_OMIT, which Glibc's module doesn't import.
#if canImport(Darwin)
private let timeKept = -2
#else
private let timeKept = (1 << 30) - 2
#endif

// Calls to the system, for methods with the same names.

private func openFile(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    open(path, flags, mode)
}

private func renameFile(_ old: String, _ new: String) -> Int32 { rename(old, new) }

/// The lock of a store that has none.
package final class NoLock: Sendable {
    package init() {}
}
