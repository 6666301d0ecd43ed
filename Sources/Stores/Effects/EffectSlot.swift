/// The state of an effect's id: the runs that have it, or wait for it.
struct EffectSlot: Sendable {
    /// The run that has the id.
    var running: RunNumber?
    /// The runs that wait until it has ended, in the order of their numbers.
    var waiting: [RunNumber] = []
    /// After a throttled effect has begun: the run of the interval's timer.
    var interval: RunNumber?
    /// The throttled run that begins at the end of the interval.
    var latest: RunNumber?

    /// Whether a newcomer has to wait.
    var isInUse: Bool { running != nil || !waiting.isEmpty }

    var isUnused: Bool { !isInUse && interval == nil && latest == nil }

    /// All of them.
    var runs: [RunNumber] { waiting + [latest, interval, running].compactMap { $0 } }
}
