/// Keeps a value from being optimised away, and the work that made it.
@_optimize(none)
func keep<Value>(_ value: Value) {}

/// A value that the optimiser knows nothing about.
@_optimize(none)
func opaque<Value>(_ value: Value) -> Value { value }
