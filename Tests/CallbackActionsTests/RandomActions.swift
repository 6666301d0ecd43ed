import PledgeCallbackActions
import PledgeFutures
import TestSupport

/// Makes actions that differ in what they compute, when they call back, and how often.
struct RandomActions {
    let scheduler: ManualScheduler
    var generator: SeededGenerator

    mutating func next() -> Action<UInt64, UInt64> {
        let scheduler = scheduler
        let factor = generator.next()
        let offset = generator.next()
        let delay = Duration.milliseconds(Int.random(in: 0...5, using: &generator))
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return { input, callback in callback(input &* factor &+ offset) }
        case 1:
            return { input, callback in
                callback(input &* factor)
                callback(input &+ offset)
            }
        case 2: return { _, _ in }
        default:
            return { input, callback in
                scheduler.schedule(after: delay) { callback(input &* factor &+ offset) }
            }
        }
    }
}

/// Calls an action on a scheduler of its own, and returns all it calls back with, in order.
func outputs<Output: Sendable>(
    on scheduler: ManualScheduler,
    _ action: Action<UInt64, Output>,
    _ input: UInt64
) -> [Output] {
    let recorder = TestLog<Output>()
    action(input) { recorder.append($0) }
    scheduler.run()
    return recorder.elements
}
