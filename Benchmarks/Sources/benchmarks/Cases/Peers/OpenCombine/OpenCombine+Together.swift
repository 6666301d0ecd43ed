#if Peers
import OpenCombine

extension Peers {
    // There is no zip, because the zip of 0.14.0 reads a released object if its last input is a future that settles.
    static let openCombineTogether: [Addition] = [
        (.allOf100, Way("OpenCombine") { count in resolveAll(of: 100, count) }),
        (.allOf10000, Way("OpenCombine") { count in resolveAll(of: 10_000, count) }),
    ]

    /// Resolves futures whose values arrive in the order in which they settle, here the order of the array.
    private static func resolveAll(of number: Int, _ count: Int) {
        for index in 0..<count {
            let promises = (0..<number).map { _ in OpenPromise() }
            let sink = Publishers.Sequence<[Future<Int, any Error>], any Error>(
                sequence: promises.map(\.future)
            ).flatMap { $0 }.collect().observe()
            for promise in promises { promise.resolve(with: index) }
            keep(object: sink)
        }
    }
}
#endif
