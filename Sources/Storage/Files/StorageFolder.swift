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

/// A folder whose files several processes may share, across their runs; each call blocks until the system has answered.
package protocol StorageFolder: FileFolder {
    /// Returns a file's bytes and version if the system has them in memory; nil if the disk would have to be read, or if
    /// that isn't known.
    func readFromMemory(
        _ name: String, upTo limit: Int
    ) -> (bytes: [UInt8], version: FileVersion)?

    /// Returns all regular files.
    func files() throws(FileError) -> [FileInFolder]

    /// Notes when a file was last used, in nanoseconds since 1970, without changing its version.
    func setLastUse(of name: String, to time: Int64)

    /// Checks that nobody else can add or replace files in the folder.
    ///
    /// - Throws: An error for which `FileError.isOfForeignFile` is true.
    func checkOwner() throws(FileError)

    /// Calls a function while no other process does so in this folder.
    ///
    /// - Throws: Also `EWOULDBLOCK` if another process has the lock for five seconds.
    func withLock(_ body: () throws(FileError) -> Void) throws(FileError)

    /// Calls a function while no other process does so in this folder; doesn't call it if another process does.
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

/// A file's name, what it takes of the disk, and its last use.
package struct FileInFolder: Hashable, Sendable {
    package var name: String
    /// What the file takes of the disk, in bytes.
    package var space: Int
    /// The time of the last use, in nanoseconds since 1970.
    package var used: Int64

    /// Creates a description of a file.
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
        // The time of the last write stays, because it's a part of the version.
        setTimes(of: name, used: time, written: nil)
    }

    package func checkOwner() throws(FileError) { try FileError.checkOwnFolder(path) }

    package func withLock(_ body: () throws(FileError) -> Void) throws(FileError) {
        let path = path(of: ".pledge-lock")
        // A wait for the lock can't be limited, so it's asked for again and again, for five seconds.
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

    /// Returns the device and the inode, which are the same for all paths to the folder.
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
    /// The time of the last use, in nanoseconds since 1970.
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
/// With the flag 8 (RWF_NOWAIT, Linux 4.14), it fails where it would have to wait for the disk.
private let readWithoutWaiting = dlsym(nil, "preadv2").map {
    unsafeBitCast($0, to: ReadParts.self)
}
#endif

extension FileError {
    /// True if the file or its folder doesn't exist.
    var isOfMissingFile: Bool { code == ENOENT }

    /// True if a name can't be removed or replaced because it's a folder's, or a file's of another user; others can.
    var isOfOneFile: Bool {
        ["rename", "unlink"].contains(operation)
            && [EISDIR, ENOTDIR, EPERM, EACCES, ENOTEMPTY, EEXIST].contains(code)
    }

    /// True if the file can't be one of the package's: somebody else has made it or can change it, or it is too large.
    var isOfUnusableFile: Bool {
        isOfForeignFile || operation != "opendir" && [EACCES, EFBIG, ELOOP].contains(code)
    }

    /// The error of a file that somebody has replaced, so that what was known of it no longer holds.
    static func stale(_ name: String) -> FileError {
        FileError(operation: "open", code: ESTALE, path: name)
    }
}
