#if canImport(SwiftUI)
public import SwiftUI

extension ObservedStore {
    /// A property of the state for a control that changes it: what is set is dispatched as an event.
    ///
    /// ```swift
    /// TextField("Name", text: store.binding(\.name, Event.nameChanged))
    /// ```
    ///
    /// - Parameters:
    ///   - path: The property that is read.
    ///   - event: Makes the event of the value that is set, such as an enum's case. It is in the state
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
