/// An error: effects of a store were still under way when the time was over.
///
/// ``Store/finish(within:on:)`` fails with it.
public struct EffectsUnfinished: Error, Hashable {
    /// How long the caller waited.
    public let duration: Duration

    /// The effects that are under way or wait, in the order in which they came.
    ///
    /// An effect is named by its ids, the outermost first. One without an id says so.
    public let effects: [String]
}

extension EffectsUnfinished: CustomStringConvertible {
    /// The duration and the effects.
    public var description: String {
        let list = effects.map { "\n  - \($0)" }.joined()
        return "\(effects.count) effects of the store have not ended within \(duration):\(list)"
    }
}
