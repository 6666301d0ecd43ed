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

/// The downloads whose records the end of the process waits for.
///
/// A cancelled task goes on before its download has heard of the cancellation, and its program may end then.
enum LastWrites {
    private struct Weak { weak var download: ResumableDownload? }

    private static let downloads = Locked<[ObjectIdentifier: Weak]>([:])
    /// The first use makes `exit` wait.
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
