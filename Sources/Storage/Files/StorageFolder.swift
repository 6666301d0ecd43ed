package import PledgeHTTPMessages
package import PledgeHTTPTransportKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A folder whose files several processes may share.
///
/// Each call blocks.
package protocol StorageFolder: FileFolder {
    /// A file's bytes and version if they are in the system's memory; nil if reading them might take the disk.
    func readFromMemory(
        _ name: String, upTo limit: Int
    ) -> (bytes: [UInt8], version: FileVersion)?

    func files() throws(FileError) -> [FileInFolder]

    /// Records when a file was last used, in nanoseconds since 1970, without changing its version.
    func setLastUse(of name: String, to time: Int64)

    /// Throws if anyone else can add or replace files in the folder; the error's `isOfForeignFile` is true.
    func checkOwner() throws(FileError)

    /// Calls a function while no other process does so in this folder.
    ///
    /// - Throws: `EWOULDBLOCK` if another process holds the lock for five seconds.
    func withLock(_ body: () throws(FileError) -> Void) throws(FileError)

    /// Like ``withLock(_:)``, but throws at once if another process holds the lock.
    func withLockNow(_ body: () throws(FileError) -> Void) throws(FileError)
}

extension StorageFolder {
    package func checkOwner() throws(FileError) {}

    package func withLockNow(_ body: () throws(FileError) -> Void) throws(FileError) {
        try withLock(body)
    }

    package func readFromMemory(
        _ name: String, upTo limit: Int
    ) -> (bytes: [UInt8], version: FileVersion)? { nil }
}

package struct FileInFolder: Hashable, Sendable {
    package var name: String
    /// The file's disk space, in bytes.
    package var space: Int
    /// The time of the last use, in nanoseconds since 1970.
    package var used: Int64

    package init(name: String, space: Int, used: Int64) {
        self.name = name
        self.space = space
        self.used = used
    }
}

extension SystemFolder: StorageFolder {
    package func readFromMemory(
        _ name: String, upTo limit: Int
    ) -> (bytes: [UInt8], version: FileVersion)? {
        #if canImport(Glibc)
        guard let readWithoutWaiting else { return nil }
        let file = try? read(name, upTo: limit) { file, start, size, offset in
            var part = iovec(iov_base: start, iov_len: size)
            return readWithoutWaiting(file, &part, 1, offset, 8)
        }
        return file ?? nil
        #else
        return nil
        #endif
    }

    package func files() throws(FileError) -> [FileInFolder] {
        guard let stream = opendir(path) else {
            throw FileError(operation: "opendir", code: errno, path: path)
        }
        defer { closedir(stream) }
        var files: [FileInFolder] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)
                ) { String(cString: $0) }
            }
            var facts = stat()
            guard lstat(path(of: name), &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            let space = FileVersion.space(ofBlocks: Int(facts.st_blocks))
            files.append(FileInFolder(name: name, space: space, used: facts.lastUse))
        }
        return files
    }

    package func setLastUse(of name: String, to time: Int64) {
        // The time of the last write stays, because it's part of the version.
        setTimes(of: name, used: time, written: nil)
    }

    package func checkOwner() throws(FileError) { try FileError.checkOwnFolder(path) }

    package func withLock(_ body: () throws(FileError) -> Void) throws(FileError) {
        let path = path(of: ".pledge-lock")
        // The system has no limited wait for this lock, so it's tried again and again, for five seconds.
        var (milliseconds, waited): (UInt32, UInt32) = (1, 0)
        while true {
            if let lock = try FileLock.attempt(path) {
                defer { withExtendedLifetime(lock) {} }
                return try body()
            }
            if waited >= 5_000 {
                throw FileError(operation: "flock", code: EWOULDBLOCK, path: path)
            }
            usleep(milliseconds * 1_000)
            waited += milliseconds
            milliseconds = min(milliseconds * 2, 16)
        }
    }

    package func withLockNow(_ body: () throws(FileError) -> Void) throws(FileError) {
        guard let lock = try FileLock.attempt(path(of: ".pledge-lock")) else { return }
        defer { withExtendedLifetime(lock) {} }
        try body()
    }

    /// The device and the inode, which are the same for all paths to the folder.
    func identity() throws(FileError) -> [UInt64] {
        var facts = stat()
        guard stat(path, &facts) == 0 else {
            throw FileError(operation: "stat", code: errno, path: path)
        }
        guard facts.st_mode & S_IFMT == S_IFDIR else {
            throw FileError(operation: "open", code: ENOTDIR, path: path)
        }
        return [UInt64(truncatingIfNeeded: facts.st_dev), UInt64(facts.st_ino)]
    }
}

extension stat {
    /// In nanoseconds since 1970.
    fileprivate var lastUse: Int64 {
        #if canImport(Darwin)
        let time = st_atimespec
        #else
        let time = st_atim
        #endif
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

#if canImport(Glibc)
private typealias ReadParts =
    @convention(c) (Int32, UnsafePointer<iovec>, Int32, Int, Int32) -> Int

/// preadv2, which Glibc's module doesn't import.
///
/// With the flag 8 (RWF_NOWAIT, Linux 4.14), it fails if it would have to wait for the disk.
private let readWithoutWaiting = dlsym(nil, "preadv2").map {
    unsafeBitCast($0, to: ReadParts.self)
}
#endif

extension FileError {
    var isOfMissingFile: Bool { code == ENOENT }

    /// True if only this name can't be removed or replaced: it's a folder's, or another user's.
    var isOfOneFile: Bool {
        ["rename", "unlink"].contains(operation)
            && [EISDIR, ENOTDIR, EPERM, EACCES, ENOTEMPTY, EEXIST].contains(code)
    }

    /// True if the cache can't have made the file: somebody else made it, or it's too large.
    var isOfUnusableFile: Bool {
        isOfForeignFile || operation != "opendir" && [EACCES, EFBIG, ELOOP].contains(code)
    }

    /// The error for a file that was replaced, so that what was known of it is wrong.
    static func stale(_ name: String) -> FileError {
        FileError(operation: "open", code: ESTALE, path: name)
    }
}
