import Futures

extension Case {
    /// Ten steps, each of which has its result at once.
    static let tenFlatMaps = Case(
        name: "10 flatMaps",
        ways: [
            Way("Pledge") { count in
                for index in 0..<count {
                    let promise = Promise<Int>()
                    keep(object: promise)
                    var last: Future<Int> = promise
                    for _ in 0..<10 { last = last.flatMap { Future(value: $0 &+ 1) } }
                    last.observe { keep($0) }
                    promise.resolve(with: index)
                }
            },
            Way("closure") { count in
                for index in 0..<count {
                    var last: @Sendable (Int) -> Void = { keep($0) }
                    for _ in 0..<10 {
                        let next = last
                        last = { step($0, next) }
                    }
                    opaque(last)(index)
                }
            },
        ]
    )
}

/// A step as one writes it with a completion handler.
@inline(never)
private func step(_ value: Int, _ completion: @escaping @Sendable (Int) -> Void) {
    completion(value &+ 1)
}
