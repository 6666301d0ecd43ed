extension Scenario {
    /// Adds a fault.
    ///
    /// - Parameter fault: One that names a host that the scenario does not have traps when the scenario runs.
    public mutating func add(_ fault: Fault) { faults.append(fault) }

    /// Adds a change of the fleet at a time: a fault, or the end of one.
    ///
    /// ```swift
    /// scenario.at(.seconds(30)) { $0.host(3).slow(by: 10) }
    /// ```
    ///
    /// - Parameters:
    ///   - time: When, from the beginning.
    ///   - text: What changes, for a report.
    ///   - change: Runs in the simulation, before what else happens at that time.
    public mutating func at(
        _ time: Duration, _ text: String = "a change of the fleet",
        _ change: @escaping @Sendable (Fleet) -> Void
    ) {
        add(.change(at: time, text, change))
    }

    /// When the last fault ends, or begins if it has no end.
    var lastFaultTime: Duration { faults.map { $0.end ?? $0.time }.max() ?? .zero }

    /// What the faults change, and when; in the order of the faults.
    func faultChanges() -> [(time: Duration, change: @Sendable (Fleet) -> Void)] {
        faults.enumerated().flatMap { index, fault in
            if case .change(_, let change) = fault.kind {
                let noted: @Sendable (Fleet) -> Void = { fleet in
                    fleet.network.namedHosts?.beginFault(index)
                    change(fleet)
                    fleet.network.namedHosts?.endFault()
                }
                return [(fault.time, noted)]
            }
            return [fault.time, fault.end].compactMap { time in
                time.map { ($0, change(of: fault, at: $0)) }
            }
        }
    }

    /// The change at the beginning or the end of a fault.
    private func change(of fault: Fault, at time: Duration) -> @Sendable (Fleet) -> Void {
        let host = fault.hosts.first ?? 0
        precondition(
            fault.hosts.allSatisfy(hosts.indices.contains),
            "a fault names hosts \(fault.hosts) of \(hosts.count)")
        let strength = strength(of: fault, at: time)
        switch fault.kind {
        case .slow: return { $0.network.hosts[host].slow(by: strength ?? 1) }
        case .failures:
            let rate = strength ?? hosts[host].failureRate
            return { $0.network.hosts[host].settings.failureRate = rate }
        case .loss:
            let rate = strength ?? hosts[host].lossRate
            return { $0.network.hosts[host].settings.lossRate = rate }
        case .pause:
            // Of no length at the end.
            let length = (fault.end ?? time) - time
            return { $0.network.hosts[host].pause(for: length) }
        case .stop where strength == nil: return { $0.network.hosts[host].start() }
        case .stop: return { if $0.network.hosts[host].isUp { $0.network.hosts[host].stop() } }
        case .partition:
            let partitions = active(fault.kind, at: time).map(\.hosts)
            return { fleet in
                fleet.network.heal()
                for hosts in partitions { fleet.network.separate(hosts, withClients: false) }
            }
        case .change(_, let change): return change
        }
    }

    /// The strength of the strongest fault of a kind on a host at a time; nil if there is none.
    private func strength(of fault: Fault, at time: Duration) -> Double? {
        active(fault.kind, at: time).filter { $0.hosts == fault.hosts }.map(\.kind.strength).max()
    }

    /// The faults of a kind that have begun and not ended at a time.
    private func active(_ kind: Fault.Kind, at time: Duration) -> [Fault] {
        faults.filter {
            $0.kind.name == kind.name && $0.time <= time && ($0.end.map { time < $0 } ?? true)
        }
    }
}

extension Fault.Kind {
    /// Which kind of random faults it belongs to; nil for a closure.
    var name: RandomFaults.Kind? {
        switch self {
        case .slow: .slow
        case .pause: .pause
        case .stop: .stop
        case .failures: .failures
        case .loss: .loss
        case .partition: .partition
        case .change: nil
        }
    }

    fileprivate var strength: Double {
        switch self {
        case .slow(let factor): factor
        case .failures(let rate), .loss(let rate): rate
        case .pause, .stop, .partition, .change: 1
        }
    }
}
