public import PledgeFutures
import PledgeHTTPText

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Shows the progress of a download or an upload on one line of the terminal.
///
/// ```swift
/// let line = ProgressLine("film.mp4")
/// let body = HTTPRequest.Body.file(film).reportingProgress(to: line.update)
/// defer { line.finish() }
/// ```
///
/// The line looks like `film.mp4  [#####···············]  25 %  2.0 of 8.0 MB  1.2 MB/s`. It is written to standard
/// error at most ten times a second, and only if standard error is a terminal.
///
/// You can use it from any thread.
public final class ProgressLine: Sendable {
    private struct State {
        var start: SchedulerInstant?
        var lastDrawn: SchedulerInstant?
        var isShown = false
    }

    private let label: String
    private let leastBytes: Int64
    private let scheduler: any FutureScheduler
    private let output: (@Sendable (String) -> Void)?
    private let state = Locked(State())

    /// Creates a line.
    ///
    /// - Parameters:
    ///   - label: The name of what is transferred, at the beginning of the line.
    ///   - leastBytes: The size, in bytes, of the smallest transfer that shows the line.
    ///   - scheduler: The clock.
    ///   - write: Writes text to the terminal. By default, it writes to standard error if that is a terminal.
    public init(
        _ label: String = "", from leastBytes: Int64 = 1_000_000,
        on scheduler: some FutureScheduler = .live, write: (@Sendable (String) -> Void)? = nil
    ) {
        self.label = SafeText.escaped(label)
        self.leastBytes = leastBytes
        self.scheduler = scheduler
        output = write ?? (isatty(2) == 0 ? nil : Self.writeToStandardError)
    }

    /// Draws the line, but at most ten times a second; the end of the transfer is always drawn.
    ///
    /// - Parameters:
    ///   - completed: The number of bytes transferred so far.
    ///   - total: The total number of bytes; nil if it's unknown.
    @Sendable
    public func update(_ completed: Int64, of total: Int64?) {
        guard let output, total ?? completed >= leastBytes else { return }
        let now = scheduler.now
        // Written under the lock, so that lines of two threads don't mix.
        state.withLock { state in
            let start = state.start ?? now
            state.start = start
            let isDue = state.lastDrawn.map { $0.duration(to: now) >= .milliseconds(100) } ?? true
            guard isDue || completed == total else { return }
            state.lastDrawn = now
            state.isShown = true
            output("\r\u{1B}[K" + line(completed, of: total, after: start.duration(to: now)))
        }
    }

    /// Removes the line, so that other text can follow; a later update draws it again.
    @Sendable
    public func finish() {
        state.withLock { state in
            if state.isShown { output?("\r\u{1B}[K") }
            state = State()
        }
    }

    private func line(_ completed: Int64, of total: Int64?, after time: Duration) -> String {
        var parts = label.isEmpty ? [] : [label]
        if let total, total > 0 {
            let part = min(max(Double(completed) / Double(total), 0), 1)
            let marks = Int(part * 20)
            parts.append(
                "[" + String(repeating: "#", count: marks)
                    + String(repeating: "·", count: 20 - marks) + "]")
            parts.append("\(Int(part * 100)) %")
            parts.append(
                "\(Self.megabytes(Double(completed))) of \(Self.megabytes(Double(total))) MB")
        } else {
            parts.append("\(Self.megabytes(Double(completed))) MB")
        }
        let seconds = time / .seconds(1)
        if seconds >= 1 { parts.append("\(Self.megabytes(Double(completed) / seconds)) MB/s") }
        return parts.joined(separator: "  ")
    }

    /// In megabytes, with one decimal.
    private static func megabytes(_ bytes: Double) -> String {
        let tenths = Int64((bytes / 100_000).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    @Sendable
    private static func writeToStandardError(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(2, bytes, bytes.count)
    }
}
