import Futures

extension Case {
    /// A transform of what is there already.
    static let mapOfSettled = Case(
        name: "map of a settled future",
        ways: [
            Way("Pledge") { count in
                let settled = Future(value: 1)
                for _ in 0..<count { keep(settled.map { $0 + 1 }) }
            },
            Way("closure") { count in
                for index in 0..<count { transform(index) { keep($0 + 1) } }
            },
        ]
    )

    /// A chain, made while the result is not there yet.
    static let tenMaps = Case(
        name: "10 maps, then resolve",
        ways: [
            Way("Pledge") { count in
                for index in 0..<count {
                    let promise = Promise<Int>()
                    var last: Future<Int> = promise
                    for _ in 0..<10 { last = last.map { $0 + 1 } }
                    promise.resolve(with: index)
                    keep(last)
                }
            },
            Way("closure") { count in
                for index in 0..<count {
                    var last: @Sendable (Int) -> Void = { keep($0) }
                    for _ in 0..<10 {
                        let next = last
                        last = { next($0 + 1) }
                    }
                    transform(index, last)
                }
            },
        ]
    )
}

private func transform(_ value: Int, _ next: @escaping @Sendable (Int) -> Void) {
    opaque(next)(value)
}
