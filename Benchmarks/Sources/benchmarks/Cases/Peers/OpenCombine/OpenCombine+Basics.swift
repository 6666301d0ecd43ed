#if Peers
import OpenCombine

extension Peers {
    static let openCombineBasics: [Addition] = [
        (
            .createObserveResolve,
            Way("OpenCombine") { count in
                for index in 0..<count {
                    let promise = OpenPromise()
                    keep(object: promise.future)
                    let sink = promise.future.observe()
                    promise.resolve(with: index)
                    keep(object: sink)
                }
            }
        ),
        (
            .observeSettled,
            Way("OpenCombine") { count in
                let settled = Future<Int, any Error> { $0(.success(1)) }
                for _ in 0..<count { keep(object: settled.observe()) }
            }
        ),
        (
            .eightObservers,
            Way("OpenCombine") { count in
                for index in 0..<count {
                    let promise = OpenPromise()
                    let sinks = (0..<8).map { _ in promise.future.observe() }
                    promise.resolve(with: index)
                    keep(sinks)
                }
            }
        ),
        (
            .recoverAfterFailure,
            Way("OpenCombine") { count in
                for _ in 0..<count {
                    let promise = OpenPromise()
                    let sink = promise.future.catch { _ in Just(1) }.observe()
                    promise.reject(with: Refusal())
                    keep(object: sink)
                }
            }
        ),
        (
            .cancelChain,
            Way("OpenCombine") { count in
                for _ in 0..<count {
                    let promise = OpenPromise()
                    let first = promise.future.handleEvents(receiveCancel: { keep(1) })
                    var last = first.map { $0 &+ 1 }
                    for _ in 1..<10 { last = last.map { $0 &+ 1 } }
                    last.observe().cancel()
                }
            }
        ),
    ]
}
#endif
