import Synchronization

/// Turns the faults of ``Middleware/chaos(_:sharing:on:random:)`` on and off while the program runs.
///
/// ```swift
/// let chaos = ChaosSwitch(isOn: false)
/// let api = stack(.chaos(.failure(probability: 0.1), sharing: chaos), over: transport)
/// chaos.isOn = true
/// ```
///
/// Several stacks may share a switch. It may be read and set from any thread; a call that
/// has begun keeps the faults that were chosen for it.
public final class ChaosSwitch {
    /// The name in its events and errors; nil if it has none.
    public let name: String?

    /// Whether faults are injected.
    public var isOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }

    /// Makes a switch.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - isOn: Whether faults are injected from now on.
    public init(named name: String? = nil, isOn: Bool) {
        self.name = name
        state = Atomic(isOn)
    }

    private let state: Atomic<Bool>
}

extension ChaosSwitch: Sendable {}
