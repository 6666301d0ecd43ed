import PledgeFutures

extension Case {
    /// A transform of an existing result.
    static let mapOfSettled = Case(
        name: "map of a settled",
        ways: [
            Way("Pledge") { count in
                for index in 0..<count {
                    let settled = Future(value: index)
                    keep(object: settled)
                    settled.map { $0 &+ 1 }.observe { keep($0) }
                }
            },
            Way("closure") { count in
                for index in 0..<count { pass(index) { keep($0 &+ 1) } }
            },
        ]
    )

    /// A chain that is built before its result exists.
    static let tenMaps = Case(
        name: "10 maps then resolve",
        ways: [
            Way("Pledge") { count in resolveMaps(10, count) },
            Way("closures") { count in callClosures(10, count) },
            Way(awaiting: "chained tasks") { count in await awaitTasks(10, count) },
        ]
    )

    /// A chain that is longer than the maximum depth of nested deliveries.
    static let hundredMaps = Case(
        name: "100 maps then resolve",
        ways: [
            Way("Pledge") { count in resolveMaps(100, count) },
            Way("closures") { count in callClosures(100, count) },
            Way(awaiting: "chained tasks") { count in await awaitTasks(100, count) },
        ]
    )
}

private func resolveMaps(_ depth: Int, _ count: Int) {
    for index in 0..<count {
        let promise = Promise<Int>()
        keep(object: promise)
        var last: Future<Int> = promise
        for _ in 0..<opaque(depth) { last = last.map { $0 &+ 1 } }
        last.observe { keep($0) }
        promise.resolve(with: index)
    }
}

private func callClosures(_ depth: Int, _ count: Int) {
    for index in 0..<count {
        var last: @Sendable (Int) -> Void = { keep($0) }
        for _ in 0..<opaque(depth) {
            let next = last
            last = { next($0 &+ 1) }
        }
        pass(index, last)
    }
}

private func awaitTasks(_ depth: Int, _ count: Int) async {
    for index in 0..<count {
        var last = Task { index }
        for _ in 0..<opaque(depth) {
            let previous = last
            last = Task { await previous.value &+ 1 }
        }
        keep(await last.value)
    }
}

private func pass(_ value: Int, _ next: @escaping @Sendable (Int) -> Void) {
    opaque(next)(value)
}
