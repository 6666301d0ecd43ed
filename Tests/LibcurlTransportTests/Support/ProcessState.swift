#if os(Linux)
import Foundation

/// What this process has of the system.
struct ProcessState: Equatable {
    /// The descriptors that are open, by what they are: "socket", "eventfd".
    var descriptors: [String: Int] = [:]
    var threads: [String] = []

    static var now: ProcessState {
        let files = FileManager.default
        var state = ProcessState()
        for number in (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            // The one by which the folder is read is gone.
            guard let target else { continue }
            let kind = target.hasPrefix("anon_inode") ? target[...] : target.prefix { $0 != ":" }
            state.descriptors[String(kind), default: 0] += 1
        }
        for number in (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? [] {
            let name = try? String(
                contentsOfFile: "/proc/self/task/\(number)/comm", encoding: .utf8)
            state.threads.append((name ?? "").trimmingCharacters(in: .newlines))
        }
        state.threads.sort()
        return state
    }

    /// How many threads wait for sockets of a transport's.
    var transportThreads: Int { threads.count { $0 == "Pledge.Curl" } }

    var descriptorCount: Int { descriptors.values.reduce(0, +) }
}
#endif
