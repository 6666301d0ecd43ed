import PledgeFutures
import Synchronization

/// The error of the tests.
///
/// Two errors are equal if their numbers are.
struct TestError: Error, Equatable {
    var number = 0
}

extension Future where Value: Equatable {
    /// The value, if it has succeeded.
    var valueNow: Value? { try? result?.get() }
}

extension Future {
    /// The error, if it has failed.
    var errorNow: (any Error)? {
        if case .failure(let error)? = result { error } else { nil }
    }

    /// The code of the framework's own error, if it has failed with one.
    var codeNow: FutureError.Code? { (errorNow as? FutureError)?.code }

    /// Whether it has been cancelled.
    var isCancelled: Bool { errorNow is CancellationError }
}

/// Counts the living objects of a test.
final class Census: Sendable {
    private let count = Atomic<Int>(0)

    /// The number of living objects.
    var living: Int { count.load(ordering: .sequentiallyConsistent) }

    fileprivate func change(by difference: Int) {
        count.wrappingAdd(difference, ordering: .sequentiallyConsistent)
    }
}

/// An object that is counted while it lives: a value of a future, or a captured object.
final class Tracked: Error {
    let number: Int
    private let census: Census

    init(_ census: Census, _ number: Int = 0) {
        self.census = census
        self.number = number
        census.change(by: 1)
    }

    deinit { census.change(by: -1) }

    /// Makes the closure that calls this keep the object.
    func use() {}
}

/// Weak references to any number of objects.
final class WeakReferences: Sendable {
    private struct Reference: @unchecked Sendable { weak var object: AnyObject? }
    private let references = Locked<[Reference]>([])

    /// Adds a reference, and returns the object.
    func add<Object: AnyObject & Sendable>(_ object: Object) -> Object {
        references.withLock { $0.append(Reference(object: object)) }
        return object
    }

    /// Removes all references.
    func removeAll() { references.withLock { $0 = [] } }

    /// The number of living objects.
    var living: Int { references.withLock { $0.count { $0.object != nil } } }
}
