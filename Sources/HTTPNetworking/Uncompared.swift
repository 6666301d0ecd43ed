/// A property that `==` and hashing ignore, so that its type gets both from the compiler.
@propertyWrapper
package struct Uncompared<Value> {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

extension Uncompared: Hashable {
    package static func == (left: Self, right: Self) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}

extension Uncompared: Sendable where Value: Sendable {}
