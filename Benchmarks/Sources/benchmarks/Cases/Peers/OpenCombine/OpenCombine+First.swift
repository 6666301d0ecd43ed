#if Peers
import OpenCombine

extension Peers {
    static let openCombineFirst: [Addition] = [
        (
            .anyOf10,
            Way("OpenCombine") { count in
                for index in 0..<count {
                    let promises = (0..<10).map { _ in OpenPromise() }
                    let sink = sequence(promises)
                        .flatMap { $0.catch { _ in Empty<Int, any Error>() } }
                        .first().observe()
                    promises[0].reject(with: Refusal())
                    promises[1].resolve(with: index)
                    keep(object: sink)
                }
            }
        ),
        (
            .raceOf10,
            Way("OpenCombine") { count in
                for index in 0..<count {
                    let promises = (0..<10).map { _ in OpenPromise() }
                    let sink = sequence(promises).flatMap { $0 }.first().observe()
                    promises[0].resolve(with: index)
                    keep(object: sink)
                }
            }
        ),
    ]

    private static func sequence(
        _ promises: [OpenPromise]
    ) -> Publishers.Sequence<[Future<Int, any Error>], any Error> {
        Publishers.Sequence(sequence: promises.map(\.future))
    }
}
#endif
