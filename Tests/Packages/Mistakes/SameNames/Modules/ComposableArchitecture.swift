// swift-format-ignore-file
// A stand-in with the names that matter here.

@MainActor public final class Store<State, Action> {}
public struct Effect<Action>: Sendable {
    public static var none: Self { Self() }
}
public protocol Reducer<State, Action> {
    associatedtype State
    associatedtype Action
}
