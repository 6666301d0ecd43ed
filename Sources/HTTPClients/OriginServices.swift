import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import Synchronization

/// The services of the most recently called origins.
///
/// Each service wraps the same inner service in middleware that has the origin's states.
///
/// Adjacent parts with a state for each origin, such as the bulkhead, the retry and the breaker of a client, are one such
/// part, so that a call looks up its origin once for all of them.
///
/// If there are too many origins, the service of the least recently called one is dropped, but never the first one's.
/// The origin's states aren't dropped: ``StatesByOrigin`` keeps them. A call holds a lock for a short, constant time.
final class OriginServices<Output: Sendable>: Sendable {
    typealias Stack = Middleware<HTTPRequest, Output>

    /// An origin's service.
    ///
    /// It's an object because a function in a generic container would get two thunks around it.
    private final class OriginService: Sendable {
        let origin: HTTPOrigin?
        let call: Service<HTTPRequest, Output>

        init(_ origin: HTTPOrigin?, _ call: @escaping Service<HTTPRequest, Output>) {
            self.origin = origin
            self.call = call
        }
    }

    private struct Table {
        /// The service that was called last; the next call usually goes to the same origin.
        var last: OriginService?
        var services = LRUTable<HTTPOrigin?, OriginService>()

        /// Returns the service of an origin, and marks it as just called.
        mutating func service(of origin: HTTPOrigin?) -> OriginService? {
            if let last, last.origin == origin { return last }
            guard let slot = services.slot(of: origin), let known = services[slot]?.value else {
                return nil
            }
            services.use(slot)
            last = known
            return known
        }

        /// Adds the service of an origin, unless another thread has already added one.
        ///
        /// - Returns: The service to use: the added one, or the other thread's.
        mutating func add(_ service: OriginService) -> OriginService {
            if let known = self.service(of: service.origin) { return known }
            if services.count >= HTTPClient.originLimit, let oldest = services.oldest {
                _ = services.remove(oldest)
            }
            services.insert(service.origin, service)
            last = service
            return service
        }
    }

    private let table = Locked(Table())
    /// The service of the origin that was called first, which most clients call only; it needs no lock.
    private let first = AtomicLazyReference<OriginService>()
    private let make: @Sendable (HTTPOrigin?) -> Stack
    private let beneath: Service<HTTPRequest, Output>

    /// - Parameters:
    ///   - make: Creates the middleware of an origin.
    ///   - beneath: The service that the middleware wraps.
    init(
        _ make: @escaping @Sendable (HTTPOrigin?) -> Stack,
        around beneath: @escaping Service<HTTPRequest, Output>
    ) {
        self.make = make
        self.beneath = beneath
    }

    @Sendable func call(_ request: HTTPRequest) -> Future<Output> {
        let origin = request.origin
        if let first = first.load(), first.origin == origin { return first.call(request) }
        if let known = table.withLock({ $0.service(of: origin) }) { return known.call(request) }
        let made = OriginService(origin, make(origin).wrap(beneath))
        if first.storeIfNil(made) === made { return made.call(request) }
        return table.withLock { $0.add(made) }.call(request)
    }
}
