import Dispatch
import PledgeFutures
import PledgeHTTPNetworking
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

/// A file that appears at its path only when it is complete.
///
/// It is written under another name in the same folder. Only this object uses the descriptor. When the object is
/// released, it closes the descriptor. If the file is neither committed nor discarded by then, the file is removed.
final class FileWriter: Sendable {
    private enum Fate {
        /// The file isn't created yet. Next: `open`, `discarded`.
        case fresh
        /// The file is being written. Next: `committed`, `discarded`.
        case open
        /// The file has its final name.
        case committed
        /// The file was removed, or never created.
        case discarded
    }

    private let target: URL
    private let temporary: URL
    private let queue = DispatchQueue(label: "Pledge.FileWriter")
    /// The state of the file.
    ///
    /// The lock is held during the system call that creates, renames or removes the file, so that a discarded file is
    /// never created or renamed.
    private let state = Locked((fate: Fate.fresh, descriptor: -1 as Int32))

    /// Stores the path of a file, without creating the file.
    init(for target: URL, random: RandomSource) {
        let name = ".pledge-\(String(random.next(), radix: 36)).part"
        self.target = target
        temporary = target.deletingLastPathComponent().appendingPathComponent(name)
    }

    deinit {
        discard()
        let descriptor = state.withLock { $0.descriptor }
        if descriptor >= 0 { close(descriptor) }
    }

    /// Creates the temporary file.
    ///
    /// - Returns: A future that settles on a queue of the file, like the futures of all methods. It rejects with a
    ///   `FileError`, or with `CancellationError` if the file was discarded before.
    func create() -> Future<Void> {
        onQueue {
            try self.state.withLock { state in
                guard case .fresh = state.fate else { throw CancellationError() }
                // The new file takes the permissions of the file that it will replace.
                let permissions = self.target.filePermissions.map { mode_t($0) }
                // O_EXCL doesn't open an existing file or link.
                let descriptor = self.temporary.withPath {
                    open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions ?? 0o666)
                }
                guard descriptor >= 0 else { throw FileError.last("open", self.temporary) }
                state = (.open, descriptor)
                // The process's umask may have removed some permissions.
                if let permissions, fchmod(descriptor, permissions) != 0 {
                    throw FileError.last("fchmod", self.temporary)
                }
            }
        }
    }

    /// Appends bytes.
    func write(_ data: Data) -> Future<Void> {
        onQueue {
            let descriptor = self.state.withLock { $0.descriptor }
            var rest = data[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { writeBytes(descriptor, $0) }
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    throw FileError.last("write", self.temporary)
                }
            }
        }
    }

    /// Synchronises the file to disk, then renames it, replacing an existing file.
    ///
    /// - Returns: A future that rejects with a `FileError`, or with `CancellationError` if the file was discarded
    ///   before.
    func commit() -> Future<Void> {
        onQueue {
            let descriptor = self.state.withLock { $0.descriptor }
            guard fsync(descriptor) == 0 else { throw FileError.last("fsync", self.temporary) }
            try self.state.withLock { state in
                guard case .open = state.fate else { throw CancellationError() }
                let code = self.temporary.withPath { old in
                    self.target.withPath { new in rename(old, new) }
                }
                guard code == 0 else { throw FileError.last("rename", self.target) }
                state.fate = .committed
            }
        }
    }

    /// Removes the file at once, unless it has its final name.
    func discard() {
        state.withLock { state in
            switch state.fate {
            case .committed, .discarded: return
            case .open: _ = temporary.withPath { unlink($0) }
            case .fresh: break
            }
            state.fate = .discarded
        }
    }

    private func onQueue(_ body: @escaping @Sendable () throws -> Void) -> Future<Void> {
        Future.make { resolver in
            queue.async {
                do {
                    try body()
                    resolver.resolve()
                } catch {
                    resolver.reject(with: error)
                }
            }
        }
    }
}
