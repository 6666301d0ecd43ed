#if canImport(FoundationNetworking)
import Dispatch
import Foundation

/// The queue on which a session calls its delegate, and on which futures settle.
///
/// URLSession on Linux hands over one block after the other, several for a request. An operation each
/// costs a good part of what the request does, so they go to a serial dispatch queue instead.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
    private let queue = DispatchQueue(label: "Pledge.SessionTransport")

    override init() {
        super.init()
        maxConcurrentOperationCount = 1
    }

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        queue.async(execute: block)
    }
}
#else
import Foundation

/// The queue on which a session calls its delegate, and on which futures settle.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
    override init() {
        super.init()
        maxConcurrentOperationCount = 1
    }
}
#endif
