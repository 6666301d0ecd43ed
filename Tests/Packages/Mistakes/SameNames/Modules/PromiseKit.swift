// swift-format-ignore-file
// A stand-in with the names that matter here.

public final class Promise<T> {
    public static func value(_ value: T) -> Promise<T> { Promise() }
}
