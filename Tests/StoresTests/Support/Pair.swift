/// One call of an observer.
struct Pair<State: Equatable & Sendable>: Equatable, Sendable, CustomStringConvertible {
    var old: State?
    var new: State

    init(_ old: State?, _ new: State) { (self.old, self.new) = (old, new) }

    var description: String { "\(old.map { "\($0)" } ?? "nil")→\(new)" }
}
