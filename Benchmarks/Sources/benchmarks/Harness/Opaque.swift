/// Stops the optimiser from removing a value and the work that computed it.
@_optimize(none)
func keep<Value>(_ value: Value) {}

/// Stops the optimiser from removing a number, without the cost of a generic call.
@_optimize(none)
func keep(_ value: Int) {}

/// Stops the optimiser from removing a result, without the cost of a generic call.
@_optimize(none)
func keep(_ result: Result<Int, any Error>) {}

/// Stops the optimiser from removing an object, which must then live on the heap.
@_optimize(none)
func keep(object: AnyObject) {}

/// Returns a value that the optimiser can't predict.
@_optimize(none)
func opaque<Value>(_ value: Value) -> Value { value }

/// Returns a number that the optimiser can't predict, without the cost of a generic call.
@_optimize(none)
func opaque(_ value: Int) -> Int { value }
