#if Peers
import NIOCore

extension Peers {
    static let nioBasics: [Addition] = [
        (
            .createObserveResolve,
            Way(onLoop: { loop, count in
                for index in 0..<count {
                    let promise = loop.makePromise(of: Int.self)
                    keep(object: promise.futureResult)
                    promise.futureResult.whenComplete { keep($0) }
                    promise.succeed(index)
                }
            })
        ),
        (
            .mapOfSettled,
            Way(onLoop: { loop, count in
                for index in 0..<count {
                    let settled = loop.makeSucceededFuture(index)
                    keep(object: settled)
                    settled.map { $0 &+ 1 }.whenComplete { keep($0) }
                }
            })
        ),
        (
            .tenMaps,
            Way(onLoop: { loop, count in
                for index in 0..<count {
                    let promise = loop.makePromise(of: Int.self)
                    keep(object: promise.futureResult)
                    var last = promise.futureResult
                    for _ in 0..<10 { last = last.map { $0 &+ 1 } }
                    last.whenComplete { keep($0) }
                    promise.succeed(index)
                }
            })
        ),
        (
            .tenFlatMaps,
            Way(onLoop: { loop, count in
                for index in 0..<count {
                    let promise = loop.makePromise(of: Int.self)
                    keep(object: promise.futureResult)
                    var last = promise.futureResult
                    for _ in 0..<10 { last = last.flatMap { loop.makeSucceededFuture($0 &+ 1) } }
                    last.whenComplete { keep($0) }
                    promise.succeed(index)
                }
            })
        ),
        (
            .allOf100,
            Way(onLoop: { loop, count in
                for index in 0..<count {
                    let promises = (0..<100).map { _ in loop.makePromise(of: Int.self) }
                    EventLoopFuture.whenAllSucceed(promises.map(\.futureResult), on: loop)
                        .whenComplete { keep($0) }
                    for promise in promises { promise.succeed(index) }
                }
            })
        ),
    ]
}
#endif
