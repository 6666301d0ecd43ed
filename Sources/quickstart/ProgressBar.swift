import Foundation
import Pledge

/// The progress of a long body, as a line that is redrawn; only on a terminal.
struct ProgressBar: Sendable {
    /// Shorter bodies have no progress bar.
    private static let leastBytes: Int64 = 1 << 20

    private let isOnTerminal = isatty(2) != 0
    /// The line that was drawn last.
    private let last = Locked("")

    /// Draws the number of bytes that have arrived, and the total if it is known.
    func show(_ count: Int64, of total: Int64?) {
        guard isOnTerminal, total ?? count >= Self.leastBytes else { return }
        draw(Self.line(count, of: total))
    }

    /// Removes the line.
    func clear() {
        guard !last.withLock({ $0 }).isEmpty else { return }
        draw("")
    }

    private func draw(_ line: String) {
        last.withLock { last in
            if last == line { return }
            last = line
            FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8))
        }
    }

    /// "[##########··········]  50 %  4.0 of 8.0 MiB".
    static func line(_ count: Int64, of total: Int64?) -> String {
        let done = String(format: "%.1f", Double(count) / 1_048_576)
        guard let total, total > 0 else { return "\(done) MiB" }
        let part = min(1, Double(count) / Double(total))
        let marks = Int(part * 20)
        let bar =
            String(repeating: "#", count: marks) + String(repeating: "·", count: 20 - marks)
        let all = String(format: "%.1f", Double(total) / 1_048_576)
        return "[\(bar)] \(String(format: "%3d", Int(part * 100))) %  \(done) of \(all) MiB"
    }
}
