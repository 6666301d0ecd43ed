import Dispatch
import PledgeFutures

extension Case {
    /// A result that arrives in time.
    static let timeout = Case(
        name: "timeout that never fires",
        ways: [
            Way(measuring: "Pledge") { count in resolveInTime(count) },
            Way("Dispatch timer source") { count in cancelSources(count, on: timers) },
            Way(awaiting: "Task.sleep, cancelled") { count in
                for _ in 0..<count {
                    let task = Task { try? await Task.sleep(for: .seconds(60)) }
                    task.cancel()
                    await task.value
                }
            },
        ]
    )

    /// A result that arrives in time, while a hundred thousand other timeouts wait.
    static let timeoutAmongMany = Case(
        name: "timeout, 100,000 pending",
        ways: [
            Way(measuring: "Pledge") { count in
                let pending = (0..<100_000).map { _ in Promise<Int>() }
                let timed = pending.map { $0.timeout(.seconds(60)) }
                let cost = resolveInTime(count)
                for promise in pending { promise.resolve(with: 0) }
                keep(timed)
                return cost
            },
            Way(measuring: "Dispatch timer source") { count in
                let pending = (0..<100_000).map { _ in makeSource(on: timers) }
                let cost = Cost.of { cancelSources(count, on: timers) }
                for source in pending { source.cancel() }
                timers.sync {}
                return cost
            },
        ]
    )
}

/// Adds timeouts to existing promises, and resolves the promises in time.
private func resolveInTime(_ count: Int) -> Cost {
    Cost.ofBatches(count, with: { Promise<Int>() }) { promise in
        let timed = promise.timeout(.seconds(60))
        promise.resolve(with: 1)
        keep(object: timed)
    }
}

private let timers = DispatchQueue(label: "benchmarks.timers")

private func makeSource(on queue: DispatchQueue) -> any DispatchSourceTimer {
    let source = DispatchSource.makeTimerSource(queue: queue)
    source.setEventHandler { keep(1) }
    source.schedule(deadline: .now() + 60)
    source.activate()
    return source
}

/// Creates sources and cancels them, and waits until the queue has processed the cancellations.
private func cancelSources(_ count: Int, on queue: DispatchQueue) {
    for _ in 0..<count { makeSource(on: queue).cancel() }
    queue.sync {}
}
