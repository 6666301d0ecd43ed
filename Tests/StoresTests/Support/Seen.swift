import Futures

/// What was seen, in order, from any thread.
final class Seen<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}

/// One call of an observer.
struct Pair<State: Equatable & Sendable>: Equatable, Sendable, CustomStringConvertible {
    var old: State?
    var new: State

    init(_ old: State?, _ new: State) { (self.old, self.new) = (old, new) }

    var description: String { "\(old.map { "\($0)" } ?? "nil")→\(new)" }
}
