#if Peers
import NIOCore

extension Peers {
    /// Awaits in an ordinary task, because SwiftNIO has no task executor that would run `get()` on a loop.
    static let nioAwait: [Addition] = [
        (
            .awaitSettled,
            Way(awaiting: "SwiftNIO") { count in
                let settled = loop.makeSucceededFuture(1)
                for _ in 0..<count { keep(try! await settled.get()) }
            }
        ),
        (
            .awaitPending,
            Way(awaiting: "SwiftNIO") { count in
                for index in 0..<count {
                    let promise = loop.makePromise(of: Int.self)
                    Task { promise.succeed(index) }
                    keep(try! await promise.futureResult.get())
                }
            }
        ),
        (
            .fromAsync,
            Way(awaiting: "SwiftNIO") { count in
                for index in 0..<count {
                    keep(try! await loop.makeFutureWithTask { await work(index) }.get())
                }
            }
        ),
    ]

    @_optimize(none)
    private static func work(_ value: Int) async -> Int { value }
}
#endif
