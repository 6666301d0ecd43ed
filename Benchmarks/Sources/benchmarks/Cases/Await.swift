import PledgeFutures

extension Case {
    /// Awaits an existing result, in an async function.
    static let awaitSettled = Case(
        name: "await a settled",
        ways: [
            Way(awaiting: "Pledge") { count in
                let settled = Future(value: 1)
                keep(object: settled)
                for _ in 0..<count { keep(try! await settled.value) }
            },
            Way(awaiting: "checked continuation") { count in
                for _ in 0..<count {
                    keep(await withCheckedContinuation { $0.resume(returning: 1) })
                }
            },
            Way(awaiting: "task.value") { count in
                let task = Task { 1 }
                _ = await task.value
                for _ in 0..<count { keep(await task.value) }
            },
        ]
    )

    /// Awaits a result that another task settles during the wait.
    static let awaitPending = Case(
        name: "await a pending",
        ways: [
            Way(awaiting: "Pledge") { count in
                for index in 0..<count {
                    let promise = Promise<Int>()
                    Task { promise.resolve(with: index) }
                    keep(try! await promise.value)
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
            Way(awaiting: "task.value") { count in
                for index in 0..<count { keep(await Task { index }.value) }
            },
        ]
    )

    /// Starts an async function as a future, and awaits it.
    static let fromAsync = Case(
        name: "future of an async closure",
        ways: [
            Way(awaiting: "Pledge") { count in
                for index in 0..<count { keep(try! await Future { await work(index) }.value) }
            },
            Way(awaiting: "task.value") { count in
                for index in 0..<count { keep(await Task { await work(index) }.value) }
            },
        ]
    )
}

@_optimize(none)
private func work(_ value: Int) async -> Int { value }
