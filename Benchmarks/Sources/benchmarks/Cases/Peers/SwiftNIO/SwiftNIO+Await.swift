#if Peers
import NIOCore

extension Peers {
    static let nioAwait: [Addition] = [
        (
            .awaitSettled,
            Way(awaitingOnLoop: { count in
                let settled = loop.makeSucceededFuture(1)
                for _ in 0..<count { keep(try! await settled.get()) }
            })
        ),
        (
            .awaitPending,
            Way(awaitingOnLoop: { count in
                for index in 0..<count {
                    let promise = loop.makePromise(of: Int.self)
                    Task { promise.succeed(index) }
                    keep(try! await promise.futureResult.get())
                }
            })
        ),
        (
            .fromAsync,
            Way(awaitingOnLoop: { count in
                for index in 0..<count {
                    keep(try! await loop.makeFutureWithTask { await work(index) }.get())
                }
            })
        ),
    ]

    @_optimize(none)
    private static func work(_ value: Int) async -> Int { value }
}

extension Way {
    /// SwiftNIO's way in a task that runs on its event loop.
    fileprivate init(awaitingOnLoop body: @escaping @Sendable (_ count: Int) async -> Void) {
        self.init(measuring: "SwiftNIO") { count in
            await withTaskExecutorPreference(Peers.loop.taskExecutor) {
                await Cost.of { await body(count) }
            }
        }
    }
}
#endif
