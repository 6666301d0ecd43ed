import Futures

/// Keeps what it is given, in order, from any thread.
final class Recorder<Element: Sendable>: Sendable {
    private let stored = Locked<[Element]>([])

    var elements: [Element] { stored.withLock { $0 } }

    func record(_ element: Element) {
        stored.withLock { $0.append(element) }
    }
}
