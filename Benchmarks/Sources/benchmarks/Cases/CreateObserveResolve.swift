import Futures

extension Case {
    /// What every call costs at the least: a result that somebody waits for.
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
}

/// What a hand-written API does: it calls the closure that it was given.
private func call(
    back completion: @escaping @Sendable (Result<Int, any Error>) -> Void,
    with value: Int
) {
    opaque(completion)(.success(value))
}
