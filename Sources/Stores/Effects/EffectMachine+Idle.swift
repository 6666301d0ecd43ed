internal import PledgeFutures

extension EffectMachine {
    /// Whether no effect, and no event of an effect, is under way.
    private var isIdle: Bool { underWay == 0 && eventsOnTheirWay == 0 }

    /// Notes a promise, to be resolved as soon as no effect is under way.
    ///
    /// - Returns: What ``forget(_:)`` takes.
    mutating func resolveWhenIdle(_ promise: Promise<Void>) -> Int {
        lastNumber += 1
        finishPromises[lastNumber] = promise
        return lastNumber
    }

    /// Removes a promise that is cancelled.
    mutating func forget(_ number: Int) -> Promise<Void>? {
        finishPromises.removeValue(forKey: number)
    }

    /// Adds the commands that resolve the promises, if no effect is under way.
    mutating func resolveFinishPromisesIfIdle() {
        guard isIdle, !finishPromises.isEmpty else { return }
        commands += finishPromises.sorted { $0.key < $1.key }.map { .resolve($0.value) }
        finishPromises = [:]
    }

    /// The ids of the effects under way, in the order in which they came.
    ///
    /// Their names are made outside the lock, since that calls the user's code.
    var pathsUnderWay: [EffectPath] {
        runs.sorted { $0.key < $1.key }.compactMap { number, run in
            switch run.work {
            case .job: EffectPath(ids: ids(of: number), waitsFor: nil)
            case .delay: EffectPath(ids: ids(of: number), waitsFor: "time")
            case .turn: EffectPath(ids: ids(of: number), waitsFor: "turn")
            case .parts, .interval: nil
            }
        }
    }

    /// The ids of a run and of the runs that it is a part of, the outermost first.
    private func ids(of run: RunNumber) -> [EffectID] {
        var ids: [EffectID] = []
        var next: RunNumber? = run
        while let run = next {
            if let id = runs[run]?.id { ids.insert(id, at: 0) }
            next = runs[run]?.parent
        }
        return ids
    }
}
