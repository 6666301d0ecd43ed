/// A state that defines its events and its reducer.
///
/// ```swift
/// struct Counter: Reducible {
///     var count = 0
///
///     enum Event { case increase, decrease }
///
///     static func reduce(_ state: Counter, event: Event) -> Counter {
///         switch event {
///         case .increase: Counter(count: state.count + 1)
///         case .decrease: Counter(count: state.count - 1)
///         }
///     }
/// }
///
/// let store = Store(initialState: Counter(), reducer: Reducer())
/// ```
public protocol Reducible: Sendable {
    /// The events of the state.
    associatedtype Event: Sendable

    /// Returns the next state: a pure function.
    ///
    /// - Parameters:
    ///   - state: The state before.
    ///   - event: What happened.
    static func reduce(_ state: Self, event: Event) -> Self
}
