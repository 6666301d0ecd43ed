import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPText
import PledgeHTTPTransportKit

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// A transport's sessions: one for all hosts, and one for each host whose connections have gone silent.
///
/// A replaced session gets no more requests, and is invalidated after its last one.
final class SessionPools: Sendable {
    /// How long a host is remembered after its last request.
    private static let keepAlive = Duration.seconds(120)

    private let first: SessionTaskDelegate
    private let pools: HostPools<SessionTaskDelegate>
    /// The sessions that weren't invalidated.
    let open: Locked<[SessionTaskDelegate]>

    /// `configuration` is for further sessions; nil if the first session is the app's, which is never replaced.
    init(_ first: SessionTaskDelegate, _ configuration: URLSessionConfiguration?) {
        let open = Locked([first])
        var make: (@Sendable () -> SessionTaskDelegate)?
        if let configuration {
            make = {
                let next = SessionTaskDelegate(
                    first.configuration, first.scheduler, connecting: first.connecting,
                    beside: first)
                next.open(configuration)
                open.withLock { $0.append(next) }
                next.closed.observe { _ in open.withLock { $0.removeAll { $0 === next } } }
                return next
            }
        }
        self.first = first
        self.open = open
        pools = HostPools(first, keepAlive: Self.keepAlive, on: first.scheduler, making: make) {
            $0.close(cancelling: false)
        }
    }

    /// Sends a request; the recipient gets every outcome, even a refusal.
    func send(_ request: HTTPRequest, for recipient: TransportExchange.Recipient) {
        do {
            let exchange = try TransportExchange(
                request, for: recipient, within: first.limits, on: first.scheduler)
            let host = AbsoluteURL.schemeAndAuthority(of: request.url)
            let (tasks, connections) = try pools.beginUse(of: host) { try $0.beginStart() }
            exchange.use(connections)
            tasks.send(exchange)
        } catch {
            recipient.fail(with: error.withRequest(request))
        }
    }

    @discardableResult
    func close(cancelling: Bool) -> Future<Void> {
        pools.close()
        let open = open.withLock { $0 }
        return Future<[Void]>.all(open.map { $0.close(cancelling: cancelling) }).map { _ in }
    }
}
