internal import Futures

extension EffectMachine {
    /// Whether no effect is under way, and no event of one either.
    private var isIdle: Bool { underWay == 0 && eventsOnTheirWay == 0 }

    /// Notes a promise, to be resolved as soon as no effect is under way.
    ///
    /// - Returns: What ``forget(_:)`` takes.
    mutating func resolveWhenIdle(_ promise: Promise<Void>) -> Int {
        count += 1
        waiters[count] = promise
        return count
    }

    /// Takes a promise back that is not wanted any more.
    mutating func forget(_ waiter: Int) -> Promise<Void>? { waiters.removeValue(forKey: waiter) }

    /// Leaves it to the commands to resolve those who wait, if nothing is under way.
    mutating func resolveWaitersIfIdle() {
        guard isIdle, !waiters.isEmpty else { return }
        commands += waiters.sorted { $0.key < $1.key }.map { .resolve($0.value) }
        waiters = [:]
    }

    /// The ids of what is under way, in the order in which it came.
    ///
    /// They are named outside the lock, since a user's value says how it is written.
    var pathsUnderWay: [EffectPath] {
        runs.sorted { $0.key < $1.key }.compactMap { number, run in
            switch run.work {
            case .future: EffectPath(ids: ids(of: number), waitsFor: nil)
            case .delay: EffectPath(ids: ids(of: number), waitsFor: "time")
            case .turn: EffectPath(ids: ids(of: number), waitsFor: "turn")
            case .parts, .interval: nil
            }
        }
    }

    /// The ids of a run and of those that it is a part of, the outermost first.
    private func ids(of run: Int) -> [EffectID] {
        var ids: [EffectID] = []
        var next: Int? = run
        while let run = next {
            if let id = runs[run]?.id { ids.insert(id, at: 0) }
            next = runs[run]?.parent
        }
        return ids
    }
}
