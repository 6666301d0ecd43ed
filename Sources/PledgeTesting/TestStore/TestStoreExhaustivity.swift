/// What a ``TestStore`` checks.
///
/// ```swift
/// store.exhaustivity = .all.subtracting(.events)
/// ```
public struct TestStoreExhaustivity: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The test states every change of the state.
    ///
    /// Without it, the function passed to `send` and `receive` is applied to the new state, and must not
    /// change it: it states some properties, and leaves the others open.
    public static let state = TestStoreExhaustivity(rawValue: 1)

    /// The test receives every event of an effect, in order.
    ///
    /// Without it, `receive` skips the events before the expected one, and events that are not received are
    /// not a failure.
    public static let events = TestStoreExhaustivity(rawValue: 2)

    /// Every effect has ended, and none has failed without an event.
    ///
    /// Without it, the effects under way at the end are cancelled.
    public static let effects = TestStoreExhaustivity(rawValue: 4)

    /// Everything.
    public static let all: TestStoreExhaustivity = [.state, .events, .effects]

    /// Only what the test states.
    public static let off: TestStoreExhaustivity = []
}
