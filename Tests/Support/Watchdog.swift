package import Dispatch
import Foundation
package import PledgeFutures

/// The only limit in real time: how long a test waits for what must happen, before it fails and does not hang.
///
/// It is long enough for a machine that has much else to do.
package let watchdog = Duration.seconds(600)

extension Future {
    /// The value, or an error after ``watchdog``.
    package var soon: Value {
        get async throws { try await timeout(watchdog).value }
    }

    /// The result, which is an error after ``watchdog``.
    package var resultSoon: Result<Value, any Error> {
        get async { await timeout(watchdog).resultWhenSettled }
    }
}

/// Waits until a condition that other threads bring about is true, while other tasks run.
///
/// - Parameters:
///   - isolation: The isolation of the condition, which is the caller's.
///   - condition: The condition, which is evaluated again and again.
/// - Returns: Whether it became true; false after ``watchdog``.
package func comesTrue(
    isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool
) async -> Bool {
    let deadline = ContinuousClock.now + watchdog
    var turn = 0
    while !condition() {
        guard ContinuousClock.now < deadline else { return false }
        // What happens within microseconds is seen at once; a longer wait leaves the processor to others.
        if turn < 100 { await Task.yield() } else { await anotherMillisecond() }
        turn += 1
    }
    return true
}

private func anotherMillisecond() async {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(1)) {
            continuation.resume()
        }
    }
}

/// Ends this process after ``watchdog``, for an exit test whose process may hang.
///
/// - Parameter status: The status that fails the test.
package func exitIfHung(_ status: Int32) {
    DispatchQueue.global().asyncAfter(deadline: .watchdog) { exit(status) }
}

extension DispatchTime {
    /// When a wait that begins now ends by the ``watchdog``.
    package static var watchdog: DispatchTime { .now() + .seconds(600) }
}
