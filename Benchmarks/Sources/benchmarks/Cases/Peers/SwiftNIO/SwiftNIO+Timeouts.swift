#if Peers
import NIOCore
import NIOPosix

extension Peers {
    static let nioTimeouts: [Addition] = [
        (
            .timeout,
            Way(measuring: "SwiftNIO") { count in
                try! await loop.submit { resolveInTime(count, on: loop) }.get()
            }
        ),
        (
            .timeoutAmongMany,
            Way(measuring: "SwiftNIO") { count in
                // Uses a new loop and ends it, because cancelling a hundred thousand tasks one by one is quadratic, but
                // ending their loop isn't.
                let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
                let loop = group.next()
                let cost = try! await loop.submit {
                    for _ in 0..<100_000 { loop.scheduleTask(in: .seconds(60)) { keep(1) } }
                    return resolveInTime(count, on: loop)
                }.get()
                try! await group.shutdownGracefully()
                return cost
            }
        ),
    ]

    private static func resolveInTime(_ count: Int, on loop: any EventLoop) -> Cost {
        Cost.ofBatches(count, with: { loop.makePromise(of: Int.self) }) { promise in
            let timer = loop.scheduleTask(in: .seconds(60)) { promise.fail(Refusal()) }
            promise.futureResult.whenComplete { _ in timer.cancel() }
            promise.succeed(1)
        }
    }
}
#endif
