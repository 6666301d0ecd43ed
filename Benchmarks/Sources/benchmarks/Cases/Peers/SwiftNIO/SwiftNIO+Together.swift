#if Peers
import NIOCore

extension Peers {
    static let nioTogether: [Addition] = [
        (
            .zipOf3,
            Way(onLoop: { count in
                for index in 0..<count {
                    let first = loop.makePromise(of: Int.self)
                    let second = loop.makePromise(of: Int.self)
                    let third = loop.makePromise(of: Int.self)
                    first.futureResult.and(second.futureResult).and(third.futureResult)
                        .whenComplete { keep($0) }
                    first.succeed(index)
                    second.succeed(index)
                    third.succeed(index)
                }
            })
        ),
        (.allOf100, Way(onLoop: { count in resolveAll(of: 100, count) })),
        (.allOf10000, Way(onLoop: { count in resolveAll(of: 10_000, count) })),
    ]

    private static func resolveAll(of number: Int, _ count: Int) {
        for index in 0..<count {
            let promises = (0..<number).map { _ in loop.makePromise(of: Int.self) }
            EventLoopFuture.whenAllSucceed(promises.map(\.futureResult), on: loop)
                .whenComplete { keep($0) }
            for promise in promises { promise.succeed(index) }
        }
    }
}
#endif
