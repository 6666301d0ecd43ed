#if os(Linux)
import Foundation

/// The system resources that this process has.
package struct ProcessState: Equatable {
    /// The number of open descriptors, by their kinds: "socket", "eventfd".
    package var descriptors: [String: Int] = [:]
    package var threads: [String] = []

    package static var now: ProcessState {
        let files = FileManager.default
        var state = ProcessState()
        for number in (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            // The descriptor by which the folder is read is closed by now.
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

    /// The number of threads with a name.
    package func threads(named name: String) -> Int { threads.count { $0 == name } }

    package var descriptorCount: Int { descriptors.values.reduce(0, +) }
}
#endif
