#if Peers
import NIOCore

extension Peers {
    static let nioContended: [Addition] = [
        (
            .contended,
            Way(measuring: "SwiftNIO") { count in
                let promises = (0..<count).map { _ in loop.makePromise(of: Int.self) }
                let handedOver = onTwoThreads(
                    { for promise in promises { promise.futureResult.whenComplete { keep($0) } } },
                    { for promise in promises { promise.succeed(1) } }
                )
                // Both threads have only handed their work to the loop; it is done when this is.
                let rest = await Cost.of { try! await loop.submit {}.get() }
                return Cost(time: handedOver.time + rest.time, allocations: 0, bytes: 0)
            }
        )
    ]
}
#endif
