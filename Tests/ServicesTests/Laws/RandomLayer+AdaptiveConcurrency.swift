import PledgeFutures
import PledgeServices

extension RandomLayer {
    static func adaptiveConcurrency(at site: inout Site) -> RandomLayer {
        let (most, queue) = (site.number(1...3), site.number(0...4))
        let timeout = site.isTails() ? site.milliseconds(0...80) : nil
        let algorithms: [(String, ConcurrencyLimitAlgorithm)] = [
            ("aimd", .aimd(initial: most, minimum: 1, maximum: most)),
            ("vegas", .vegas(initial: most, maximum: most)),
            ("gradient", .gradient(minimum: 1, maximum: most)),
            ("correlation", .correlation(initial: most, maximum: most)),
        ]
        let (name, algorithm) = algorithms[site.number(0...3)]
        let limit = AdaptiveConcurrency(
            algorithm: algorithm, queue: queue, queueTimeout: timeout, on: site.scheduler,
            random: site.random())
        return RandomLayer(
            name: "adaptiveConcurrency(\(name), \(most), queue \(queue), \(timeout ?? .zero))",
            places: most, isVacant: { limit.inFlight == 0 && limit.queued == 0 },
            middleware: .adaptiveConcurrency(sharing: limit))
    }
}
