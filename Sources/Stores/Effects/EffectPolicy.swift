/// What happens to an effect whose id is in use: another effect with it has not ended yet.
public enum EffectPolicy: Hashable, Sendable {
    /// The newest one runs: those before it are cancelled, and their late results dropped.
    case newest
    /// The oldest one runs: those after it are not begun.
    case oldest
    /// All of them run, one after another, in order.
    ///
    /// One whose parts wait for a second id, and one of that id whose parts wait for the first, wait
    /// for each other for ever: nest serial ids in one order only.
    case serial
}
