import PledgeFutures

extension Case {
    /// Ten steps that each have their result at once.
    static let tenFlatMaps = Case(
        name: "10 flatMaps",
        ways: [
            Way("Pledge") { count in
                for index in 0..<count {
                    let promise = Promise<Int>()
                    keep(object: promise)
                    var last: Future<Int> = promise
                    for _ in 0..<opaque(10) { last = last.flatMap { Future(value: $0 &+ 1) } }
                    last.observe { keep($0) }
                    promise.resolve(with: index)
                }
            },
            Way("closures") { count in
                for index in 0..<count {
                    var last: @Sendable (Int) -> Void = { keep($0) }
                    for _ in 0..<opaque(10) {
                        let next = last
                        last = { step($0, next) }
                    }
                    opaque(last)(index)
                }
            },
        ]
    )

    /// A loop, written as a function that calls itself from a `flatMap`.
    static let recursion = Case(
        name: "flatMap loop of 1,000 turns",
        counted: 4,
        ways: [
            Way("Pledge") { count in
                for _ in 0..<count { turn(1_000).observe { keep($0) } }
            },
            Way(awaiting: "async function") { count in
                for _ in 0..<count { keep(await asyncTurn(1_000)) }
            },
        ]
    )
}

private func turn(_ left: Int) -> Future<Int> {
    Future(value: left).flatMap { $0 == 0 ? Future(value: 0) : turn($0 - 1) }
}

@inline(never)
private func asyncTurn(_ left: Int) async -> Int {
    opaque(left) == 0 ? 0 : await asyncTurn(left - 1)
}

/// A step written with a completion handler.
@inline(never)
private func step(_ value: Int, _ completion: @escaping @Sendable (Int) -> Void) {
    completion(value &+ 1)
}
