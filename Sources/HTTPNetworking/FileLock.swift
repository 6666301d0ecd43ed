import PledgeFutures

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The lock of a store that has none.
package final class NoLock: Sendable {
    package init() {}
}

/// A lock that one process at a time has; it ends when the object is released, or with the process.
///
/// The lock is `flock` on a file of its own, which stays: a process that removed it could let in two others. On iOS, the
/// system ends an app that is suspended while it holds a lock in a folder of an app group.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// Locks a file, without waiting.
    ///
    /// - Returns: The lock; nil if another process, or another lock of this process, has it.
    /// - Throws: The error of a system call, or of a file that isn't the user's.
    package static func attempt(_ path: String) throws(FileError) -> FileLock? {
        let file = try FileError.openOwn(path)
        let lock = FileLock(file)
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return nil
            default: throw FileError(operation: "flock", code: errno, path: path)
            }
        }
        return lock
    }

    private init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }
}

/// The places of a folder: locks on single bytes of an empty file, which end with the process.
///
/// They are the system's record locks (`fcntl`), because a file has as many of them as there are numbers. They belong to
/// the process, and end when it closes any descriptor of the file, so nothing else opens the file.
final class FilePlaces: Sendable {
    private let path: String
    private let state = Locked((file: -1 as Int32, taken: Set<Int64>()))

    init(_ path: String) { self.path = path }

    deinit {
        let file = state.withLock { $0.file }
        if file >= 0 { close(file) }
    }

    /// Takes a place; see `FileFolder`.
    func take(_ place: Int64) -> Bool? {
        state.withLock { state in
            if state.taken.contains(place) { return nil }
            if state.file < 0 {
                guard let file = try? FileError.openOwn(path) else { return nil }
                state.file = file
            }
            if lock(state.file, place, Int32(F_WRLCK)) {
                state.taken.insert(place)
                return true
            }
            return [EACCES, EAGAIN].contains(errno) ? false : nil
        }
    }

    /// Leaves a place.
    func leave(_ place: Int64) {
        state.withLock { state in
            if state.taken.remove(place) != nil { _ = lock(state.file, place, Int32(F_UNLCK)) }
        }
    }

    private func lock(_ file: Int32, _ place: Int64, _ kind: Int32) -> Bool {
        var byte = flock()
        byte.l_type = .init(kind)
        byte.l_whence = .init(SEEK_SET)
        byte.l_start = off_t(place)
        byte.l_len = 1
        return fcntl(file, F_SETLK, &byte) == 0
    }
}
