import PledgeHTTPMessages
import PledgeHTTPTransportKit

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A lock that one process at a time holds, until the object is released or the process ends.
///
/// It's `flock` on a file that is never removed, because removing it could let in two processes. On iOS, the system
/// ends an app that is suspended while it holds a lock in an app group's folder.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// Locks a file without waiting.
    ///
    /// - Returns: Nil if another process, or another lock of this one, holds it.
    /// - Throws: An error of the system, or one for a file that isn't the user's.
    static func attempt(_ path: String) throws(FileError) -> FileLock? {
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

extension FileError {
    /// Opens or creates a file for reading and writing; throws if anyone but the user can have written it.
    static func openOwn(_ path: String) throws(FileError) -> Int32 {
        var file: Int32 = -1
        repeat {
            file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        } while file < 0 && errno == EINTR
        guard file >= 0 else { throw ofOpening(path) }
        do {
            try checkOwn(file, path)
        } catch {
            close(file)
            throw error
        }
        return file
    }
}
