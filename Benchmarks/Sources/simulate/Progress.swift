import Foundation
import PledgeFutures

/// The program's progress and remaining time, as a line that is redrawn.
final class Progress: Sendable {
    private struct State {
        var runs = 1
        var runsDone = 0
        var lastLine = ""
        var start = ContinuousClock.now
    }

    private let isShown: Bool
    private let state = Locked(State())

    /// Creates a progress that shows its line on standard error, or nothing.
    init(isShown: Bool) { self.isShown = isShown }

    /// True if standard error is a terminal.
    static var isOnTerminal: Bool { isatty(2) != 0 }

    /// Begins a number of runs that take about equal time.
    func begin(runs: Int) {
        state.withLock { $0 = State(runs: runs) }
        show(0)
    }

    /// Shows the finished part of a run, at a hundred instants of its duration.
    func follow(_ scheduler: some FutureScheduler, for duration: Duration) {
        guard isShown else { return }
        for hundredth in 1...100 {
            scheduler.schedule(after: duration * hundredth / 100) { [self] in
                show(Double(hundredth) / 100)
            }
        }
    }

    /// Records that a run has ended.
    func endRun() { state.withLock { $0.runsDone += 1 } }

    /// Removes the line.
    func clear() { draw("") }

    private func show(_ part: Double) {
        guard isShown else { return }
        let line = state.withLock { state in
            let done = (Double(state.runsDone) + part) / Double(state.runs)
            let spent = (ContinuousClock.now - state.start) / .seconds(1)
            return Self.line(min(done, 1), after: spent)
        }
        draw(line)
    }

    private func draw(_ line: String) {
        guard isShown else { return }
        state.withLock { state in
            if state.lastLine == line { return }
            state.lastLine = line
            FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8))
        }
    }

    /// Returns a line like "[####################] 40 %, 12 s left".
    ///
    /// In the first second the time left isn't known.
    static func line(_ part: Double, after seconds: Double) -> String {
        let marks = Int(part * 20)
        let bar =
            String(repeating: "#", count: marks) + String(repeating: "·", count: 20 - marks)
        let line = "[\(bar)] \(Int(part * 100)) %"
        if seconds < 1 || part <= 0 { return line }
        let left = Int((seconds * (1 - part) / part).rounded(.up))
        return line + (left < 120 ? ", \(left) s left" : ", \((left + 59) / 60) min left")
    }
}
