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
    /// - Throws: Also an error of a file that isn't the user's (``FileError/isOfForeignFile``).
    func read(
        _ name: String, upTo limit: Int
    ) throws(FileError) -> (bytes: [UInt8], version: FileVersion)?

    /// Returns a file's bytes and version if the system has them in memory; nil if the disk would have to be read, or if
    /// that isn't known.
    func readFromMemory(
        _ name: String, upTo limit: Int
    ) -> (bytes: [UInt8], version: FileVersion)?

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

    /// Returns all regular files.
    func files() throws(FileError) -> [FileInFolder]

    /// Notes when a file was last used, in nanoseconds since 1970, without changing its version.
    func touch(_ name: String, at time: Int64)

    /// Creates the folder if there is none.
    func create() throws(FileError)

    /// Checks that nobody else can add or replace files in the folder.
    ///
    /// - Throws: An error for which ``FileError/isOfForeignFile`` is true.
    func checkOwner() throws(FileError)

    /// Calls a function while no other process does so in this folder.
    ///
    /// - Throws: Also `EWOULDBLOCK` if another process has the lock for five seconds.
    func withLock(_ body: () throws(FileError) -> Void) throws(FileError)

    /// Calls a function while no other process does so in this folder; doesn't call it if another process does.
    func withLockNow(_ body: () throws(FileError) -> Void) throws(FileError)

    /// Takes a place, a number from zero on, that one process at a time has; it doesn't wait.
    ///
    /// The place is free again when it's left, or when the process ends.
    ///
    /// - Returns: True if this process has it now; false if another one has it; nil if this process has had it already,
    ///   or if the folder has no places.
    func takePlace(_ place: Int64) -> Bool?

    /// Leaves a place that was taken.
    func leavePlace(_ place: Int64)
}

extension FileFolder {
    package func takePlace(_ place: Int64) -> Bool? { nil }

    package func leavePlace(_ place: Int64) {}

    package func checkOwner() throws(FileError) {}

    package func withLockNow(_ body: () throws(FileError) -> Void) throws(FileError) {
        try withLock(body)
    }

    package func readFromMemory(
        _ name: String, upTo limit: Int
    ) -> (bytes: [UInt8], version: FileVersion)? { nil }

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
    /// True if the file or its folder doesn't exist.
    package var isOfMissingFile: Bool { code == ENOENT }

    /// True if the file can't be one of the package's: somebody else has made it or can change it, or it is too large.
    package var isOfUnusableFile: Bool {
        isOfForeignFile || operation != "opendir" && [EACCES, EFBIG, ELOOP].contains(code)
    }

    /// True if the file is larger than it may be.
    package var isOfLargeFile: Bool { code == EFBIG }

    /// True if a name can't be removed or replaced because it's a folder's, or a file's of another user; others can.
    package var isOfOneFile: Bool {
        ["rename", "unlink"].contains(operation)
            && [EISDIR, ENOTDIR, EPERM, EACCES, ENOTEMPTY, EEXIST].contains(code)
    }

    /// The error of a file that somebody has replaced, so that what was known of it no longer holds.
    package static func stale(_ name: String) -> FileError {
        FileError(operation: "open", code: ESTALE, path: name)
    }
}

/// The identity of a file's content: another one is there after each replacement.
package struct FileVersion: Sendable {
    package var inode: UInt64
    /// The size, in bytes.
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

/// A folder of the system.
package struct SystemFolder: FileFolder {
    /// The folder's path, without a slash at its end.
    private let path: String
    private let places: FilePlaces

    /// A folder by its URL; nothing is opened yet.
    package init(_ url: URL) {
        var path = url.isFileURL ? url.path : ""
        while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = path
        places = FilePlaces("\(path)/.pledge-places")
    }

    package func takePlace(_ place: Int64) -> Bool? { places.take(place) }

    package func leavePlace(_ place: Int64) { places.leave(place) }

    /// Returns the device and the inode, which are the same for all paths to the folder.
    package func identity() throws(FileError) -> [UInt64] {
        var facts = stat()
        guard stat(path, &facts) == 0 else { throw Self.last("stat", path) }
        guard facts.st_mode & S_IFMT == S_IFDIR else {
            throw FileError(operation: "open", code: ENOTDIR, path: path)
        }
        return [UInt64(truncatingIfNeeded: facts.st_dev), UInt64(facts.st_ino)]
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

    /// The error of the system call that has just failed on this thread.
    private static func last(_ operation: String, _ path: String) -> FileError {
        FileError(operation: operation, code: errno, path: path)
    }

    private func path(_ name: String) -> String { "\(path)/\(name)" }

    package func version(of name: String) -> FileVersion? {
        var facts = stat()
        guard lstat(path(name), &facts) == 0 else { return nil }
        return FileVersion(facts)
    }

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

    package func read(
        _ name: String, upTo limit: Int
    ) throws(FileError) -> (bytes: [UInt8], version: FileVersion)? {
        try read(name, upTo: limit) { file, start, size, _ in readBytes(file, start, size) }
    }

    /// Reads a file with a function that reads a part of it.
    private func read(
        _ name: String, upTo limit: Int,
        by read: (Int32, UnsafeMutablePointer<UInt8>, Int, Int) -> Int
    ) throws(FileError) -> (bytes: [UInt8], version: FileVersion)? {
        let path = path(name)
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
        let path = path(name)
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
        setTimes(of: name, used: timespec(nanoseconds: time), written: timespec(nanoseconds: time))
    }

    package func sync(_ name: String) throws(FileError) {
        let path = path(name)
        guard let file = try Self.open(path, O_WRONLY | O_NOFOLLOW) else {
            throw FileError(operation: "open", code: ENOENT, path: path)
        }
        defer { close(file) }
        guard fsync(file) == 0 else { throw Self.last("fsync", path) }
    }

    package func rename(_ old: String, to new: String) throws(FileError) {
        guard renameFile(path(old), path(new)) == 0 else { throw Self.last("rename", path(new)) }
    }

    package func remove(_ name: String) throws(FileError) {
        if unlink(path(name)) != 0, errno != ENOENT { throw Self.last("unlink", path(name)) }
    }

    package func syncFolder() throws(FileError) {
        guard let file = try Self.open(path, O_RDONLY) else {
            throw FileError(operation: "open", code: ENOENT, path: path)
        }
        defer { close(file) }
        // Some file systems have no way to sync a folder.
        if fsync(file) != 0, errno != EINVAL, errno != ENOTSUP { throw Self.last("fsync", path) }
    }

    package func files() throws(FileError) -> [FileInFolder] {
        guard let stream = opendir(path) else { throw Self.last("opendir", path) }
        defer { closedir(stream) }
        var files: [FileInFolder] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)
                ) { String(cString: $0) }
            }
            var facts = stat()
            guard lstat(path(name), &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
                continue
            }
            files.append(
                FileInFolder(name: name, space: facts.space, used: facts.lastUse))
        }
        return files
    }

    package func touch(_ name: String, at time: Int64) {
        // The time of the last write stays, because it's a part of the version.
        var kept = timespec()
        kept.tv_nsec = timeKept
        setTimes(of: name, used: timespec(nanoseconds: time), written: kept)
    }

    private func setTimes(of name: String, used: timespec, written: timespec) {
        var times = (used, written)
        withUnsafePointer(to: &times) { pointer in
            pointer.withMemoryRebound(to: timespec.self, capacity: 2) { times in
                _ = utimensat(AT_FDCWD, path(name), times, AT_SYMLINK_NOFOLLOW)
            }
        }
    }

    package func checkOwner() throws(FileError) { try FileError.checkOwnFolder(path) }

    package func withLock(_ body: () throws(FileError) -> Void) throws(FileError) {
        let path = path(".pledge-lock")
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
        guard let lock = try FileLock.attempt(path(".pledge-lock")) else { return }
        defer { withExtendedLifetime(lock) {} }
        try body()
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
            space: facts.space)
    }
}

extension stat {
    /// The bytes of the blocks that a file takes, which are more than its size.
    fileprivate var space: Int {
        let (space, isOver) = Int(st_blocks).multipliedReportingOverflow(by: 512)
        return isOver || space < 0 ? .max : space
    }

    fileprivate var lastUse: Int64 {
        #if canImport(Darwin)
        st_atimespec.nanoseconds
        #else
        st_atim.nanoseconds
        #endif
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

package func readBytes(_ file: Int32, _ start: UnsafeMutableRawPointer, _ size: Int) -> Int {
    read(file, start, size)
}

/// Writes bytes to a file, like the system's `write`; code in a type with a method of that name can't call it.
package func writeBytes(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(file, bytes.baseAddress, bytes.count)
}

private func renameFile(_ old: String, _ new: String) -> Int32 { rename(old, new) }
