import PledgeFutures

extension Case {
    /// The minimum cost of a call: one result with one observer that waits for it.
    static let createObserveResolve = Case(
        name: "create, observe, resolve",
        ways: [
            Way("Pledge") { count in
                for index in 0..<count {
                    let promise = Promise<Int>()
                    keep(object: promise)
                    promise.observe { keep($0) }
                    promise.resolve(with: index)
                }
            },
            Way("closure") { count in
                for index in 0..<count { call(back: { keep($0) }, with: index) }
            },
            Way(awaiting: "checked continuation") { count in
                for index in 0..<count {
                    keep(await withCheckedContinuation { $0.resume(returning: index) })
                }
            },
        ]
    )

    /// An observer of an existing result.
    static let observeSettled = Case(
        name: "observe a settled",
        ways: [
            Way("Pledge") { count in
                let settled = Future(value: 1)
                for _ in 0..<count { settled.observe { keep($0) } }
            },
            Way("closure") { count in
                for _ in 0..<count { call(back: { keep($0) }, with: 1) }
            },
        ]
    )

    /// A result with several observers.
    static let eightObservers = Case(
        name: "8 observers on one",
        ways: [
            Way("Pledge") { count in
                for index in 0..<count {
                    let promise = Promise<Int>()
                    for _ in 0..<8 { promise.observe { keep($0) } }
                    promise.resolve(with: index)
                }
            },
            Way("closures in an array") { count in
                for index in 0..<count {
                    var observers: [@Sendable (Int) -> Void] = []
                    for _ in 0..<8 { observers.append { keep($0) } }
                    for observer in observers { observer(index) }
                }
            },
        ]
    )
}

/// A hand-written API, which calls the given closure.
private func call(
    back completion: @escaping @Sendable (Result<Int, any Error>) -> Void,
    with value: Int
) {
    opaque(completion)(.success(value))
}
