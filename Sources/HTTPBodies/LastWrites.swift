import Dispatch
import PledgeFutures
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

/// At exit, makes the process wait until the unfinished downloads have written their records.
///
/// A cancelled task continues before its download hears of the cancellation, so the program may end before that.
enum LastWrites {
    private struct Weak { weak var download: ResumableDownload? }

    private static let downloads = Locked<[ObjectIdentifier: Weak]>([:])
    /// The first use registers the wait.
    private static let waitsAtExit: Void = {
        atexit {
            let group = DispatchGroup()
            for weak in LastWrites.downloads.withLock({ Array($0.values) }) {
                guard let download = weak.download else { continue }
                group.enter()
                download.suspend().observe { _ in group.leave() }
            }
            _ = group.wait(timeout: .now() + 5)
        }
    }()

    static func add(_ download: ResumableDownload) {
        _ = waitsAtExit
        downloads.withLock { $0[ObjectIdentifier(download)] = Weak(download: download) }
    }

    static func remove(_ download: ResumableDownload) {
        downloads.withLock { $0[ObjectIdentifier(download)] = nil }
    }
}
