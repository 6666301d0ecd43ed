import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// The services of the origins that were called last, each with its own states around the service beneath.
///
/// Only the services are forgotten, the one first that was not called for longest: the states are kept by ``StatesByOrigin``. A
/// call takes a lock for constant time.
final class OriginServices<Output: Sendable>: Sendable {
    typealias Stack = Middleware<HTTPRequest, Output>

    private struct Table {
        /// The last one that was called, which most often is the next as well.
        var last: (origin: HTTPOrigin?, service: Service<HTTPRequest, Output>)?
        var services = LRUTable<HTTPOrigin?, Service<HTTPRequest, Output>>()

        /// The service of an origin, which counts as called now.
        mutating func service(of origin: HTTPOrigin?) -> Service<HTTPRequest, Output>? {
            if let last, last.origin == origin { return last.service }
            guard let slot = services.slot(of: origin), let known = services[slot]?.value else {
                return nil
            }
            services.use(slot)
            last = (origin, known)
            return known
        }

        /// - Returns: The service, or that of another thread that was first.
        mutating func add(
            _ service: @escaping Service<HTTPRequest, Output>, of origin: HTTPOrigin?
        ) -> Service<HTTPRequest, Output> {
            if let known = self.service(of: origin) { return known }
            if services.count >= HTTPClient.originLimit, let oldest = services.oldest {
                _ = services.remove(oldest)
            }
            services.insert(origin, service)
            last = (origin, service)
            return service
        }
    }

    private let table = Locked(Table())
    private let make: @Sendable (HTTPOrigin?) -> Stack
    private let beneath: Service<HTTPRequest, Output>

    /// - Parameters:
    ///   - make: Makes the middleware of an origin.
    ///   - beneath: The service that it is put around.
    init(
        _ make: @escaping @Sendable (HTTPOrigin?) -> Stack,
        around beneath: @escaping Service<HTTPRequest, Output>
    ) {
        self.make = make
        self.beneath = beneath
    }

    @Sendable func call(_ request: HTTPRequest) -> Future<Output> {
        let origin = request.origin
        if let service = table.withLock({ $0.service(of: origin) }) { return service(request) }
        let made = make(origin)(beneath)
        let service = table.withLock { $0.add(made, of: origin) }
        return service(request)
    }
}
