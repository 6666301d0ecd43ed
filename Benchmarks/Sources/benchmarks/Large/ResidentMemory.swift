import Foundation

/// The resident memory of this process, as Linux counts it in /proc.
enum ResidentMemory {
    /// Resets the peak to the current value.
    ///
    /// - Returns: The current value, in bytes.
    static func resetPeak() -> Int {
        if let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") {
            file.write(Data("5".utf8))
            try? file.close()
        }
        return bytes("VmRSS:")
    }

    /// The peak since the reset, in bytes.
    static func peak() -> Int { bytes("VmHWM:") }

    private static func bytes(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
        return
            (line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0)
            << 10
    }
}
