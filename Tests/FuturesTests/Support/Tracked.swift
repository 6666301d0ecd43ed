import Futures
import Synchronization

/// Counts the objects of a test that are alive.
final class Census: Sendable {
    private let count = Atomic<Int>(0)

    /// How many are alive now.
    var living: Int { count.load(ordering: .sequentiallyConsistent) }

    fileprivate func change(by difference: Int) {
        count.wrappingAdd(difference, ordering: .sequentiallyConsistent)
    }
}

/// An object that is counted while it lives: a value of a future, or what a closure captures.
final class Tracked: Error {
    let number: Int
    private let census: Census

    init(_ census: Census, _ number: Int = 0) {
        self.census = census
        self.number = number
        census.change(by: 1)
    }

    deinit { census.change(by: -1) }

    /// Keeps the object in the closure that calls this.
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

    /// Forgets all references.
    func removeAll() { references.withLock { $0 = [] } }

    /// How many of the objects are alive.
    var living: Int { references.withLock { $0.count { $0.object != nil } } }
}
