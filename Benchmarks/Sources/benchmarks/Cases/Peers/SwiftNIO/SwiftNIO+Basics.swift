#if Peers
import NIOCore

extension Peers {
    static let nioBasics: [Addition] = [
        (
            .createObserveResolve,
            Way(onLoop: { count in
                for index in 0..<count {
                    let promise = loop.makePromise(of: Int.self)
                    keep(object: promise.futureResult)
                    promise.futureResult.whenComplete { keep($0) }
                    promise.succeed(index)
                }
            })
        ),
        (
            .observeSettled,
            Way(onLoop: { count in
                let settled = loop.makeSucceededFuture(1)
                for _ in 0..<count { settled.whenComplete { keep($0) } }
            })
        ),
        (
            .eightObservers,
            Way(onLoop: { count in
                for index in 0..<count {
                    let promise = loop.makePromise(of: Int.self)
                    for _ in 0..<8 { promise.futureResult.whenComplete { keep($0) } }
                    promise.succeed(index)
                }
            })
        ),
        (
            .recoverAfterFailure,
            Way(onLoop: { count in
                for _ in 0..<count {
                    let promise = loop.makePromise(of: Int.self)
                    promise.futureResult.recover { _ in 1 }.whenComplete { keep($0) }
                    promise.fail(Refusal())
                }
            })
        ),
    ]
}
#endif
