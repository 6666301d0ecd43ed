#if Peers
import NIOCore

extension Peers {
    static let nioContended: [Addition] = [
        (
            .contended,
            // The loop itself resolves, which costs SwiftNIO less than if a third thread did.
            Way(contending: "SwiftNIO") { count in
                let promises = scattered(count) { loop.makePromise(of: Int.self) }
                return TwoThreads(
                    first: {
                        for promise in promises { promise.futureResult.whenComplete { keep($0) } }
                        // The observers are only handed to the loop; they have run when this has.
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
