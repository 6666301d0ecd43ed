#if canImport(SwiftUI)
public import SwiftUI

extension ObservedStore {
    /// A binding of a property of the state, for a control: setting it dispatches an event.
    ///
    /// ```swift
    /// TextField("Name", text: store.binding(\.name, Event.nameChanged))
    /// ```
    ///
    /// - Parameters:
    ///   - path: The property that is read.
    ///   - event: Makes the event from the new value, such as an enum's case. The state includes the event
    ///     when the setter returns.
    /// - Returns: A binding, which keeps the store alive.
    public func binding<Value: Sendable>(
        _ path: any KeyPath<State, Value> & Sendable,
        _ event: @escaping @Sendable (Value) -> Event
    ) -> Binding<Value> {
        Binding(
            get: { MainActor.assumeIsolated { self.state[keyPath: path] } },
            set: { value in MainActor.assumeIsolated { self.dispatch(event: event(value)) } })
    }
}
#endif
