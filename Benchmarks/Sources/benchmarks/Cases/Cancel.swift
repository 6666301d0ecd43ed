import PledgeFutures

extension Case {
    /// A chain whose last consumer cancels, so that its producer learns of it.
    static let cancelChain = Case(
        name: "cancel a chain of 10",
        ways: [
            Way("Pledge") { count in
                for _ in 0..<count {
                    let promise = Promise<Int>()
                    promise.onCancel { keep(1) }
                    var last: Future<Int> = promise
                    for _ in 0..<10 { last = last.map { $0 &+ 1 } }
                    last.observe { keep($0) }
                    last.cancel()
                }
            },
            Way(awaiting: "cancelled task") { count in
                for _ in 0..<count {
                    let task = Task {
                        await withTaskCancellationHandler {
                            await nested(10)
                        } onCancel: {
                            keep(1)
                        }
                    }
                    task.cancel()
                    keep(await task.value)
                }
            },
        ]
    )
}

/// Ten calls that await each other; the innermost checks whether it was cancelled.
@inline(never)
private func nested(_ depth: Int) async -> Int {
    if opaque(depth) == 0 { return Task.isCancelled ? 0 : 1 }
    return await nested(depth - 1) &+ 1
}
