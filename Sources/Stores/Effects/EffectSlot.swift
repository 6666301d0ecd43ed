/// What is known of an effect's id: the runs that have it, or wait for it.
struct EffectSlot: Sendable {
    /// The run that has the id.
    var running: Int?
    /// The runs that wait until it has ended, in order.
    var waiting: [Int] = []
    /// After a throttled effect has begun: the run of the interval's timer.
    var interval: Int?
    /// The throttled run that begins at the end of the interval.
    var latest: Int?

    /// Whether one that comes has to wait.
    var isInUse: Bool { running != nil || !waiting.isEmpty }

    var isUnused: Bool { !isInUse && interval == nil && latest == nil }

    /// All of them.
    var runs: [Int] { waiting + [latest, interval, running].compactMap { $0 } }
}
