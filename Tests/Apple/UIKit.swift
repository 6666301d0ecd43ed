// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// With the signatures of Apple's SDK and with empty bodies.
@_exported import AppleFoundation

@MainActor @preconcurrency open class UIAction: NSObject {
    public typealias Handler = @MainActor (UIAction) -> Void

    public convenience init(title: String = "", handler: @escaping UIAction.Handler) { self.init() }
    public override nonisolated init() {}
}

@MainActor @preconcurrency open class UIControl: NSObject {
    public struct Event: OptionSet, Sendable {
        public static var touchUpInside: Event { Event() }
        public static var valueChanged: Event { Event() }

        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    public override nonisolated init() {}
    open func addAction(_ action: UIAction, for events: UIControl.Event) {}
    open func removeAction(_ action: UIAction, for events: UIControl.Event) {}
    open func sendActions(for events: UIControl.Event) {}
}

@MainActor @preconcurrency open class UIButton: UIControl {}
