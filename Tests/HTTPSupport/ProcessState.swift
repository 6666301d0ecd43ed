#if os(Linux)
import Foundation

/// What this process has of the system.
package struct ProcessState: Equatable {
    /// The descriptors that are open, by what they are: "socket", "eventfd".
    package var descriptors: [String: Int] = [:]
    package var threads: [String] = []

    package static var now: ProcessState {
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

    /// How many threads of a name there are.
    package func threads(named name: String) -> Int { threads.count { $0 == name } }

    package var descriptorCount: Int { descriptors.values.reduce(0, +) }
}
#endif
