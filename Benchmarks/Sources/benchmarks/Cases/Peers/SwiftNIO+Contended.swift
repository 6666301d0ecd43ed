#if Peers
import NIOCore
import NIOPosix

extension Peers {
    static let nioContended: [Addition] = [
        (
            .contended,
            Way(measuring: "SwiftNIO") { count in
                let loop = MultiThreadedEventLoopGroup.singleton.next()
                let promises = (0..<count).map { _ in loop.makePromise(of: Int.self) }
                var cost = onTwoThreads(
                    { for promise in promises { promise.futureResult.whenComplete { keep($0) } } },
                    { for promise in promises { promise.succeed(1) } }
                )
                // Both threads have only handed their work to the loop; it is done when this is.
                let rest = await Cost.of { try! await loop.submit {}.get() }
                cost.time += rest.time
                cost.allocations += rest.allocations
                cost.bytes += rest.bytes
                return cost
            }
        )
    ]
}
#endif
