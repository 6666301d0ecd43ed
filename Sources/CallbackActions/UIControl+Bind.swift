#if canImport(UIKit) && !os(watchOS)
public import UIKit

extension UIControl {
    /// Calls a function whenever one of the given events happens to the control.
    ///
    /// ```
    /// button.bind(events: .touchUpInside, for: login >- parse <- render)
    /// ```
    ///
    /// Binding again adds a handler; it replaces none, also for the same events. The control retains the
    /// function's captures, so capture the owner of the control weakly.
    ///
    /// - Parameters:
    ///   - events: The events to wait for.
    ///   - executable: What to call, on the main actor.
    /// - Returns: The `UIAction` of the handler: `removeAction(_:for:)` removes it.
    @discardableResult
    public func bind(
        events: UIControl.Event,
        for executable: @escaping @MainActor (()) -> Void
    ) -> UIAction {
        let action = UIAction { _ in executable(()) }
        addAction(action, for: events)
        return action
    }
}
#endif
