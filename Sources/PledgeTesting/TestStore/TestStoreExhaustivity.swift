/// What a ``TestStore`` insists on.
///
/// ```swift
/// store.exhaustivity = .all.subtracting(.events)
/// ```
public struct TestStoreExhaustivity: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set of its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Every change of the state is expected by the test.
    ///
    /// Without it, the function given to `send` and `receive` is applied to the state as it is, and
    /// must not change it: so it says of some properties what they are, and nothing of the others.
    public static let state = TestStoreExhaustivity(rawValue: 1)

    /// Every event of an effect is received by the test, in order.
    ///
    /// Without it, `receive` passes over the events before the one that it expects, and those that
    /// are not received are no failure.
    public static let events = TestStoreExhaustivity(rawValue: 2)

    /// Every effect has ended, and none has failed without an event.
    ///
    /// Without it, the effects under way at the end are cancelled.
    public static let effects = TestStoreExhaustivity(rawValue: 4)

    /// Everything.
    public static let all: TestStoreExhaustivity = [.state, .events, .effects]

    /// Nothing but what the test says.
    public static let off: TestStoreExhaustivity = []
}
