import PledgeFutures
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

/// Numbered locks, from zero on; one process at a time holds each.
package protocol StoragePlaces: Sendable {
    /// Locks a place without waiting, until ``leave(_:)`` or the end of the process.
    ///
    /// - Returns: True if this process holds it now; false if another one does; nil if this process held it already, or
    ///   if there are no places.
    func takePlace(_ place: Int64) -> Bool?

    /// Unlocks a place.
    func leave(_ place: Int64)
}

/// Locks on single bytes of an empty file.
///
/// They are the system's record locks (`fcntl`), which exist for each offset in the file. The process loses all of them
/// when it closes any descriptor of the file, so nothing else may open it.
final class FilePlaces: StoragePlaces {
    private let path: String
    private let state = Locked((file: -1 as Int32, taken: Set<Int64>()))

    /// Opens nothing yet.
    init(in folder: SystemFolder) { path = folder.path(of: ".pledge-places") }

    deinit {
        let file = state.withLock { $0.file }
        if file >= 0 { close(file) }
    }

    func takePlace(_ place: Int64) -> Bool? {
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
