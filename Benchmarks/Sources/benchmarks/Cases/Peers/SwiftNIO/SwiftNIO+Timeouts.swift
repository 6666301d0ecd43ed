#if Peers
import NIOCore
import NIOPosix

extension Peers {
    static let nioTimeouts: [Addition] = [
        (.timeout, Way(onLoop: { count in resolveInTime(count, on: loop) })),
        (
            .timeoutAmongMany,
            Way(measuring: "SwiftNIO") { count in
                // A loop of its own: taking back a hundred thousand tasks one by one is quadratic,
                // ending the loop is not.
                let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
                let loop = group.next()
                let cost = try! await loop.submit {
                    for _ in 0..<100_000 { loop.scheduleTask(in: .seconds(60)) { keep(1) } }
                    return Cost.of { resolveInTime(count, on: loop) }
                }.get()
                try! await group.shutdownGracefully()
                return cost
            }
        ),
    ]

    private static func resolveInTime(_ count: Int, on loop: any EventLoop) {
        for index in 0..<count {
            let promise = loop.makePromise(of: Int.self)
            let timer = loop.scheduleTask(in: .seconds(60)) { promise.fail(Refusal()) }
            promise.futureResult.whenComplete { result in
                timer.cancel()
                keep(result)
            }
            promise.succeed(index)
        }
    }
}
#endif
