#if Peers
import NIOCore

extension Peers {
    static let nioMaps: [Addition] = [
        (
            .mapOfSettled,
            Way(onLoop: { count in
                for index in 0..<count {
                    let settled = loop.makeSucceededFuture(index)
                    keep(object: settled)
                    settled.map { $0 &+ 1 }.whenComplete { keep($0) }
                }
            })
        ),
        (.tenMaps, Way(onLoop: { count in resolveMaps(10, count) })),
        (.hundredMaps, Way(onLoop: { count in resolveMaps(100, count) })),
        (
            .tenFlatMaps,
            Way(onLoop: { count in
                for index in 0..<count {
                    let promise = loop.makePromise(of: Int.self)
                    keep(object: promise.futureResult)
                    var last = promise.futureResult
                    for _ in 0..<opaque(10) {
                        last = last.flatMap { loop.makeSucceededFuture($0 &+ 1) }
                    }
                    last.whenComplete { keep($0) }
                    promise.succeed(index)
                }
            })
        ),
        (
            .recursion,
            Way(onLoop: { count in
                for _ in 0..<count { turn(1_000).whenComplete { keep($0) } }
            })
        ),
    ]

    private static func resolveMaps(_ depth: Int, _ count: Int) {
        for index in 0..<count {
            let promise = loop.makePromise(of: Int.self)
            keep(object: promise.futureResult)
            var last = promise.futureResult
            for _ in 0..<opaque(depth) { last = last.map { $0 &+ 1 } }
            last.whenComplete { keep($0) }
            promise.succeed(index)
        }
    }

    private static func turn(_ left: Int) -> EventLoopFuture<Int> {
        loop.makeSucceededFuture(left)
            .flatMap { $0 == 0 ? loop.makeSucceededFuture(0) : turn($0 - 1) }
    }
}
#endif
