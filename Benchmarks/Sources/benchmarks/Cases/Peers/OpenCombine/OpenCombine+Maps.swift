#if Peers
import OpenCombine

extension Peers {
    static let openCombineMaps: [Addition] = [
        (
            .mapOfSettled,
            Way("OpenCombine") { count in
                for index in 0..<count {
                    let settled = Future<Int, any Error> { $0(.success(index)) }
                    keep(object: settled)
                    keep(object: settled.map { $0 &+ 1 }.observe())
                }
            }
        ),
        (.tenMaps, Way("OpenCombine") { count in resolveMaps(10, count) }),
        (.hundredMaps, Way("OpenCombine") { count in resolveMaps(100, count) }),
        (
            .tenFlatMaps,
            Way("OpenCombine") { count in
                for index in 0..<count {
                    let promise = OpenPromise()
                    var last = promise.future.eraseToAnyPublisher()
                    for _ in 0..<opaque(10) {
                        last = last.flatMap { settled($0 &+ 1) }.eraseToAnyPublisher()
                    }
                    let sink = last.observe()
                    promise.resolve(with: index)
                    keep(object: sink)
                }
            }
        ),
        (
            .recursion,
            Way("OpenCombine") { count in
                for _ in 0..<count { keep(object: turn(1_000).observe()) }
            }
        ),
    ]

    /// Resolves chains of maps.
    ///
    /// Each map merges the map before it into itself, so ten maps become one.
    private static func resolveMaps(_ depth: Int, _ count: Int) {
        for index in 0..<count {
            let promise = OpenPromise()
            var last = promise.future.map { $0 &+ 1 }
            for _ in 1..<opaque(depth) { last = last.map { $0 &+ 1 } }
            let sink = last.observe()
            promise.resolve(with: index)
            keep(object: sink)
        }
    }

    private static func settled(_ value: Int) -> Future<Int, any Error> {
        Future { $0(.success(value)) }
    }

    private static func turn(_ left: Int) -> AnyPublisher<Int, any Error> {
        settled(left)
            .flatMap { $0 == 0 ? settled(0).eraseToAnyPublisher() : turn($0 - 1) }
            .eraseToAnyPublisher()
    }
}
#endif
