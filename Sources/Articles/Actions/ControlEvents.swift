#if canImport(UIKit) && !os(watchOS)
public import UIKit

extension UIControl {
    /// Calls a function whenever one of the given events happens to the control.
    ///
    /// ```
    /// button.bind(events: .touchUpInside, for: login >- parse <- render)
    /// ```
    ///
    /// If you bind again, even for the same events, you add another handler. The control retains what the function
    /// captures, so capture the owner of the control weakly.
    ///
    /// - Parameters:
    ///   - events: The events to wait for.
    ///   - executable: The function to call, on the main actor.
    /// - Returns: The `UIAction` of the handler. To remove the handler, pass it to `removeAction(_:for:)`.
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
