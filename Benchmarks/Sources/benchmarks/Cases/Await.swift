import Futures

extension Case {
    /// A result that arrives while a task waits for it, settled by another task.
    static let awaitPending = Case(
        name: "await a pending result",
        ways: [
            Way(awaiting: "Pledge") { count in
                for index in 0..<count {
                    let promise = Promise<Int>()
                    Task { promise.resolve(with: index) }
                    keep(try? await promise.value)
                }
            },
            Way(awaiting: "checked continuation") { count in
                for index in 0..<count {
                    keep(
                        await withCheckedContinuation { continuation in
                            Task { continuation.resume(returning: index) }
                        }
                    )
                }
            },
            Way(awaiting: "Task.value") { count in
                for index in 0..<count { keep(await Task { index }.value) }
            },
        ]
    )
}
