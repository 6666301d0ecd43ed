import PledgeFutures
import PledgeHTTPNetworking

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Numbers from zero on, each of which one process at a time has.
package protocol StoragePlaces: Sendable {
    /// Takes a place without waiting.
    ///
    /// The place is free again when it's left, or when the process ends.
    ///
    /// - Returns: True if this process has it now; false if another one has it; nil if this process has had it already,
    ///   or if there are no places.
    func takePlace(_ place: Int64) -> Bool?

    /// Leaves a place that was taken.
    func leave(_ place: Int64)
}

/// The places of a folder: locks on single bytes of an empty file, which end with the process.
///
/// They are the system's record locks (`fcntl`), because a file has as many of them as there are numbers. They belong to
/// the process, and end when it closes any descriptor of the file, so nothing else opens the file.
final class FilePlaces: StoragePlaces {
    private let path: String
    private let state = Locked((file: -1 as Int32, taken: Set<Int64>()))

    /// The places of a folder; nothing is opened yet.
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
