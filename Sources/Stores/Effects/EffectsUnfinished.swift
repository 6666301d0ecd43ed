/// Effects of a store were still under way when the time for them was over.
///
/// ``Store/finish(within:on:)`` fails with it.
public struct EffectsUnfinished: Error, Hashable {
    /// How long they were waited for.
    public let duration: Duration

    /// Each effect that is under way, or waits, in the order in which they came.
    ///
    /// An effect is named by its ids, the outermost first. One without an id says so.
    public let effects: [String]
}

extension EffectsUnfinished: CustomStringConvertible {
    /// How long was waited, and for what.
    public var description: String {
        let list = effects.map { "\n  - \($0)" }.joined()
        return "\(effects.count) effects of the store have not ended within \(duration):\(list)"
    }
}
