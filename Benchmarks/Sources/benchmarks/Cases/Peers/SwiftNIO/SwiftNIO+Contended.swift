#if Peers
import NIOCore

extension Peers {
    static let nioContended: [Addition] = [
        (
            .contended,
            // The loop itself resolves the promises, which costs SwiftNIO less than a third thread would.
            Way(contending: "SwiftNIO") { count in
                let promises = scattered(count) { loop.makePromise(of: Int.self) }
                return TwoThreads(
                    first: {
                        for promise in promises { promise.futureResult.whenComplete { keep($0) } }
                        // `whenComplete` only queues an observer on the loop. This empty closure is queued after all
                        // observers, so when it has run, the observers have been added.
                        try! loop.submit {}.wait()
                    },
                    second: {
                        try! loop.submit { for promise in promises { promise.succeed(1) } }.wait()
                    }
                )
            }
        )
    ]
}
#endif
