import Foundation
import Pledge

/// How much of a long body has come, as a line that is drawn over itself: on a terminal only.
struct ProgressBar: Sendable {
    /// Of shorter bodies nothing is shown.
    private static let leastBytes = 1 << 20

    private let isOnTerminal = isatty(2) != 0
    /// What was drawn last.
    private let last = Locked("")

    /// Draws how many bytes have come, of how many, where that is known.
    func show(_ count: Int, of total: Int?) {
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
    static func line(_ count: Int, of total: Int?) -> String {
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
