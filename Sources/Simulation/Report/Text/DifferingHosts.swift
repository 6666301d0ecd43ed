extension SimulationRun {
    /// The hosts that differ from the median one, by their numbers.
    var differingHosts: [Int] {
        let median = medianHost
        return hosts.indices.filter { hosts[$0].differs(from: median) }
    }

    /// The medians of what the hosts did; of an even number of hosts, the lower of the two in the middle.
    var medianHost: HostFigures {
        let figures = hosts.map { HostFigures(of: $0) }
        func median(_ value: (HostFigures) -> Double) -> Double {
            figures.map(value).sorted()[(figures.count - 1) / 2]
        }
        return HostFigures(
            received: median(\.received), refused: median(\.refused), wasted: median(\.wasted),
            meanCalls: median(\.meanCalls), meanTime: median(\.meanTime))
    }

    /// A table of the hosts that differ; none if there is none.
    var hostLines: [String] {
        let differing = differingHosts
        if differing.isEmpty { return [] }
        var table = TextColumns()
        table.add([
            "hosts that differ", "received", "refused", "wasted", "mean calls", "mean time",
        ])
        table.add(["median of \(hosts.count.grouped)"] + medianHost.cells)
        for number in differing.prefix(10) {
            table.add([hosts[number].name.inOneLine] + HostFigures(of: hosts[number]).cells)
        }
        let others = differing.count - 10
        return table.lines + (others > 0 ? ["and \(others.grouped) more"] : [])
    }
}

/// What a host did, in numbers that have medians.
struct HostFigures {
    let received: Double
    let refused: Double
    let wasted: Double
    let meanCalls: Double
    let meanTime: Double

    fileprivate var cells: [String] {
        [received, refused, wasted].map { Int($0).grouped }
            + [meanCalls.text(digits: 2), meanTime.textOfSeconds]
    }
}

extension HostFigures {
    fileprivate init(of host: SimulationRun.Host) {
        self.init(
            received: Double(host.received), refused: Double(host.refused),
            wasted: Double(host.wasted), meanCalls: host.meanCalls, meanTime: host.meanTime)
    }

    fileprivate func share(of count: Double) -> Double { received > 0 ? count / received : 0 }
}

extension SimulationRun.Host {
    fileprivate func differs(from median: HostFigures) -> Bool {
        let figures = HostFigures(of: self)
        func isFar(_ value: Double, from median: Double) -> Bool {
            value < median / 2 || value > median * 2
        }
        if isFar(figures.received, from: median.received) { return true }
        if isFar(figures.meanTime, from: median.meanTime) { return true }
        if isFar(figures.meanCalls, from: median.meanCalls) { return true }
        let refused = figures.share(of: figures.refused) - median.share(of: median.refused)
        let wasted = figures.share(of: figures.wasted) - median.share(of: median.wasted)
        return max(refused, wasted) >= 0.01
    }
}
