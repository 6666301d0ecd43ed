/// What happens to an effect whose id is in use: another effect with it has not ended yet.
public enum EffectPolicy: Hashable, Sendable {
    /// The newest one runs: those before it are cancelled, and their late results discarded. The interval
    /// of a throttled id ends.
    case newest
    /// The oldest one runs: those after it are not begun.
    case oldest
    /// All of them run, one after another, in order.
    ///
    /// An effect waits forever if the effect that it waits for has a part that waits for it, directly or over
    /// further ids. If effects inside ids are serial, nest the ids in one order.
    case serial
}
