public import Dispatch

/// Transforms that run only on a queue, or on the main actor, even if the future has settled.
///
/// They do what those without a queue do. If the new future is given up before the queue calls the closure,
/// the closure is not called.
extension Future {
    /// Transforms the value on a queue; see ``map(_:fileID:line:)``.
    public final func map<NewValue: Sendable>(
        on queue: DispatchQueue, _ transform: @escaping @Sendable (Value) throws -> NewValue,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        flatMap(
            { value in
                queue.turn(fileID, line) { Future<NewValue>(value: try transform(value)) }
            }, fileID: fileID, line: line)
    }

    /// Transforms the value on the main actor; see ``map(_:fileID:line:)``.
    ///
    /// ```swift
    /// let shown = loadProduct(7).map(on: MainActor.shared) { product in label.text = product.name }
    /// ```
    ///
    /// - Parameters:
    ///   - actor: `MainActor.shared`.
    ///   - transform: Called asynchronously, even if this future has settled.
    ///   - fileID: The file that ``failureOrigin`` names; leave it out.
    ///   - line: The line that ``failureOrigin`` names; leave it out.
    public final func map<NewValue: Sendable>(
        on actor: MainActor,
        _ transform: @escaping @MainActor @Sendable (Value) throws -> NewValue,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        // The main actor's executor is the main queue.
        map(
            on: DispatchQueue.main,
            { value in try MainActor.assumeIsolated { try transform(value) } },
            fileID: fileID, line: line)
    }

    /// Continues with another future, made from the value on a queue; see `flatMap(_:fileID:line:)`.
    public final func flatMap<NewValue: Sendable>(
        on queue: DispatchQueue,
        _ transform: @escaping @Sendable (Value) throws -> Future<NewValue>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        flatMap(
            { value in queue.turn(fileID, line) { try transform(value) } },
            fileID: fileID, line: line)
    }

    /// Keeps a value only if it fulfils a condition, which is evaluated on a queue; see
    /// ``filter(_:fileID:line:)``.
    public final func filter(
        on queue: DispatchQueue, _ predicate: @escaping @Sendable (Value) throws -> Bool,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        flatMap(
            { value in
                queue.turn(fileID, line) {
                    Future(value: value).filter(predicate, fileID: fileID, line: line)
                }
            }, fileID: fileID, line: line)
    }

    /// Replaces an error by a value on a queue; see ``recover(_:fileID:line:)``.
    public final func recover(
        on queue: DispatchQueue, _ transform: @escaping @Sendable (any Error) throws -> Value,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        flatMapError(
            { error in queue.turn(fileID, line) { Future(value: try transform(error)) } },
            fileID: fileID, line: line)
    }

    /// Continues after an error with another future, made on a queue; see
    /// ``flatMapError(_:fileID:line:)``.
    public final func flatMapError(
        on queue: DispatchQueue,
        _ transform: @escaping @Sendable (any Error) throws -> Future<Value>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<Value> {
        flatMapError(
            { error in queue.turn(fileID, line) { try transform(error) } },
            fileID: fileID, line: line)
    }

    /// Continues with another future, made from the whole result on a queue; see
    /// ``flatMapResult(_:fileID:line:)``.
    public final func flatMapResult<NewValue: Sendable>(
        on queue: DispatchQueue,
        _ transform: @escaping @Sendable (Result<Value, any Error>) throws -> Future<NewValue>,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Future<NewValue> {
        flatMapResult(
            { result in queue.turn(fileID, line) { try transform(result) } },
            fileID: fileID, line: line)
    }
}

extension DispatchQueue {
    /// The result of a closure that runs on this queue.
    fileprivate func turn<Value: Sendable>(
        _ fileID: StaticString, _ line: UInt, _ body: @escaping @Sendable () throws -> Future<Value>
    ) -> Future<Value> {
        let turn = InternalPromise<Void>()
        // Registered before the queue can run the closure.
        let future = turn.flatMap({ try body() }, fileID: fileID, line: line)
        async { turn.resolve() }
        return future
    }
}
