import Dispatch
import PledgeFutures
package import PledgeHTTPMessages
import PledgeHTTPText
import PledgeHTTPTransportKit
import PledgeServices

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Writes a file that appears under its name only when it's complete.
///
/// Until then, it has another name in the same folder. A file that was neither committed nor discarded is removed with
/// this object, unless it's kept for a later run.
final class FileWriter: Sendable {
    private enum Fate {
        /// Not created yet. Next: `open`, `discarded`.
        case fresh
        /// Being written. Next: `committed`, `discarded`.
        case open
        /// Under its final name.
        case committed
        /// Removed, never created, or closed to be opened again later.
        case discarded
    }

    private let target: URL
    private let temporary: URL
    /// True if an unfinished file stays for a later run.
    private let isKept: Bool
    private let queue = DispatchQueue(label: "Pledge.FileWriter")
    /// The lock is held while the file is created, renamed or removed, so that a discarded file isn't created or
    /// renamed afterwards.
    private let state = Locked((fate: Fate.fresh, descriptor: -1 as Int32))

    /// Only stores the path.
    convenience init(for target: URL, random: RandomSource) {
        self.init(for: target, as: ".pledge-\(String(random.nextOfID(), radix: 36)).part")
    }

    /// Only stores the path; nobody else may use the temporary name.
    init(for target: URL, as name: String) {
        self.target = target
        temporary = target.deletingLastPathComponent().appendingPathComponent(name)
        isKept = false
    }

    /// Only stores the path of a file that a later run can continue, under the same temporary name.
    init(for target: URL, keptAs name: String) {
        self.target = target
        temporary = target.deletingLastPathComponent().appendingPathComponent(name)
        isKept = true
    }

    deinit {
        if !isKept { discard() }
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Creates the temporary file.
    ///
    /// - Returns: A future that settles on the file's queue, as all of this type's futures do. It rejects with a
    ///   `FileError`, or with `CancellationError` if the file was discarded.
    func create() -> Future<Void> {
        onQueue {
            try self.state.withLock { state in
                guard case .fresh = state.fate else { throw CancellationError() }
                // O_EXCL opens no existing file or link, and O_NONBLOCK doesn't wait for a pipe's reader. Until the
                // file is complete, nobody else may read it.
                let flags = self.isKept ? O_NOFOLLOW | O_NONBLOCK : O_EXCL
                let descriptor = self.temporary.withPath {
                    open($0, flags | O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
                }
                guard descriptor >= 0 else { throw FileError.ofOpening(self.temporary.path) }
                do {
                    try FileError.checkOwn(descriptor, self.temporary.path)
                    try self.lock(descriptor)
                } catch {
                    close(descriptor)
                    throw error
                }
                state = (.open, descriptor)
                // A kept file may have had other permissions.
                guard fchmod(descriptor, 0o600) == 0 else {
                    throw FileError.last("fchmod", self.temporary)
                }
            }
        }
    }

    /// Locks a kept file, so that only one download at a time writes it.
    private func lock(_ descriptor: Int32) throws(FileError) {
        guard isKept else { return }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .last("flock", temporary) }
        // Another process may have renamed the file before it was locked.
        guard temporary.isName(of: descriptor) else {
            throw FileError(operation: "flock", code: EWOULDBLOCK, path: temporary.path)
        }
    }

    func write(_ data: Data) -> Future<Void> { perform { try $0.write(data) } }

    /// Calls a function with the open file, on the file's queue.
    ///
    /// - Returns: The function's result. The future rejects with `CancellationError` if the file is no longer open.
    func perform<Output: Sendable>(
        _ body: @escaping @Sendable (OpenFile) throws -> Output
    ) -> Future<Output> {
        onQueue {
            let (fate, descriptor) = self.state.withLock { $0 }
            guard case .open = fate else { throw CancellationError() }
            return try body(OpenFile(descriptor: descriptor, url: self.temporary))
        }
    }

    /// Calls a last function, then unlocks and closes a kept file.
    func suspend(after body: @escaping @Sendable (OpenFile) -> Void) -> Future<Void> {
        perform { file in
            body(file)
            self.state.withLock { $0.fate = .discarded }
            _ = flock(file.descriptor, LOCK_UN)
        }
    }

    /// Syncs the file and renames it to its final name, over an existing file or link.
    ///
    /// It gets that file's permissions, or those of a new file.
    ///
    /// - Returns: A future that rejects with a `FileError`, or with `CancellationError` if the file was discarded.
    func commit() -> Future<Void> {
        onQueue {
            let descriptor = self.state.withLock { $0.descriptor }
            try OpenFile(descriptor: descriptor, url: self.temporary).sync()
            try self.state.withLock { state in
                guard case .open = state.fate else { throw CancellationError() }
                let permissions = mode_t(
                    try self.target.filePermissions ?? self.permissionsOfNewFile())
                // The owner can write the file until it's renamed, so that a later run can continue it if the renaming
                // fails.
                guard fchmod(descriptor, permissions | 0o600) == 0 else {
                    throw FileError.last("fchmod", self.temporary)
                }
                let code = self.temporary.withPath { old in
                    self.target.withPath { new in rename(old, new) }
                }
                guard code == 0 else {
                    let error = FileError.last("rename", self.target)
                    _ = fchmod(descriptor, 0o600)
                    throw error
                }
                state.fate = .committed
                _ = fchmod(descriptor, permissions)
            }
        }
    }

    /// The permissions that the umask and the folder give a new file.
    ///
    /// Only creating one tells: reading the umask means changing it for all threads.
    private func permissionsOfNewFile() throws(FileError) -> UInt32 {
        let probe = temporary.appendingPathExtension("new")
        _ = probe.withPath { unlink($0) }
        let descriptor = probe.withPath { open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else { throw .last("open", probe) }
        defer { close(descriptor) }
        _ = probe.withPath { unlink($0) }
        guard let permissions = URL.filePermissions(of: descriptor) else {
            throw .last("fstat", probe)
        }
        return permissions
    }

    /// Removes the file at once, unless it has its final name.
    func discard() {
        state.withLock { state in
            switch state.fate {
            case .committed, .discarded: return
            case .open:
                // Another download may already use the name.
                if temporary.isName(of: state.descriptor) { _ = temporary.withPath { unlink($0) } }
            case .fresh: break
            }
            state.fate = .discarded
        }
    }

    private func onQueue<Output: Sendable>(
        _ body: @escaping @Sendable () throws -> Output
    ) -> Future<Output> {
        Future.make { resolver in
            queue.async { resolver.settle(with: Result { try body() }) }
        }
    }
}

extension FileError {
    /// True if another download has locked the file.
    var isOfLock: Bool { operation == "flock" && code == EWOULDBLOCK }

    /// Throws if there is a folder with the file's name.
    package static func checkTarget(_ file: URL) throws(FileError) {
        if file.isFolder { throw FileError(operation: "open", code: EISDIR, path: file.path) }
    }
}

/// A `FileWriter`'s open file, for use on the writer's queue only.
struct OpenFile {
    let descriptor: Int32
    let url: URL

    /// Writes bytes at a position, or after the last ones.
    func write(_ data: Data, at position: Int64? = nil) throws(FileError) {
        if let position, lseek(descriptor, off_t(position), SEEK_SET) < 0 {
            throw .last("lseek", url)
        }
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { writeBytes(descriptor, $0) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw .last("write", url)
            }
        }
    }

    /// Up to 256 KiB; nil at the end of the file.
    func read(at position: Int64) throws(FileError) -> Data? {
        var data = Data(count: 1 << 18)
        while true {
            let count = data.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(position))
            }
            if count >= 0 { return count == 0 ? nil : data.prefix(count) }
            if errno != EINTR { throw .last("read", url) }
        }
    }

    /// In bytes.
    func size() throws(FileError) -> Int64 {
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0 else { throw .last("lseek", url) }
        return Int64(size)
    }

    func truncate(to size: Int64) throws(FileError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw .last("ftruncate", url) }
    }

    func sync() throws(FileError) {
        guard fsync(descriptor) == 0 else { throw .last("fsync", url) }
    }

    /// Throws unless the file has this SHA-256, if there is one.
    func check(_ digest: [UInt8]?) throws {
        guard let digest else { return }
        let found = try sha256()
        if found == digest { return }
        throw HTTPError(
            code: .digestMismatch, reason: "the file's SHA-256 is \(found.hexadecimal)")
    }

    private func sha256() throws(FileError) -> [UInt8] {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw .last("lseek", url) }
        var hash = SHA256()
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = readBytes(descriptor, &buffer, buffer.count)
            if count == 0 { return hash.hash }
            if count > 0 {
                hash.add(buffer[..<count])
            } else if errno != EINTR {
                throw .last("read", url)
            }
        }
    }
}
