import Dispatch
import Futures
import HTTPNetworking
import Services

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A file that takes its place, whole, when it is finished, and is never seen before.
///
/// It is written beside its place under another name. The descriptor is this object's alone, and is
/// closed when the object goes; a file that is neither committed nor discarded then is removed.
final class FileWriter {
    private enum Fate {
        /// It is not made yet. Next: `open`, `discarded`.
        case fresh
        /// Next: `committed`, `discarded`.
        case open
        /// It has its name.
        case committed
        /// It is removed, or never was.
        case discarded
    }

    private let target: URL
    private let temporary: URL
    private let queue = DispatchQueue(label: "Pledge.FileWriter")
    /// The lock is held during the one call of the system's that makes, renames or removes the file, so that
    /// what is discarded is neither made nor renamed.
    private let state = Locked((fate: Fate.fresh, descriptor: -1 as Int32))

    /// Notes the place of a file; nothing is done yet.
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

    /// Makes the file beside its place.
    ///
    /// - Returns: A future that settles, as those of all methods, on a queue of the file's own. It rejects
    ///   with a `FileError`, and with `CancellationError` where the file was discarded before.
    func create() -> Future<Void> {
        onQueue {
            try self.state.withLock { state in
                guard case .fresh = state.fate else { throw CancellationError() }
                // Exclusive: neither a file that is there already nor a link is followed.
                let descriptor = self.temporary.withPath {
                    open($0, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
                }
                guard descriptor >= 0 else { throw FileError.last("open", self.temporary) }
                state = (.open, descriptor)
            }
        }
    }

    /// Writes bytes behind those that were written before.
    func write(_ data: Data) -> Future<Void> {
        onQueue {
            let descriptor = self.state.withLock { $0.descriptor }
            var rest = data[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { bytes in
                    #if canImport(Darwin)
                    Darwin.write(descriptor, bytes.baseAddress, bytes.count)
                    #elseif canImport(Glibc)
                    Glibc.write(descriptor, bytes.baseAddress, bytes.count)
                    #elseif canImport(Musl)
                    Musl.write(descriptor, bytes.baseAddress, bytes.count)
                    #elseif canImport(Android)
                    Android.write(descriptor, bytes.baseAddress, bytes.count)
                    #endif
                }
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EINTR {
                    throw FileError.last("write", self.temporary)
                }
            }
        }
    }

    /// Brings what was written to the disk, then gives the file its name, in place of what had it.
    ///
    /// - Returns: A future that rejects with `CancellationError` where the file was discarded before.
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

    /// Removes the file, at once, unless it has its name already.
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

extension FileWriter: Sendable {}
