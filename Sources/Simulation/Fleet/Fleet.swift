public import PledgeFutures
public import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The hosts of a simulation, as one service.
///
/// Use it only in the simulation's own events. On another thread, `send` fails the call and the run. The other members
/// don't check the thread.
public final class Fleet: @unchecked Sendable {
    /// The choice of a host for calls that don't name one.
    public enum Balancing: Sendable, Hashable {
        /// Each host in turn.
        case roundRobin
        /// A random host, each equally likely.
        case random
        /// Of two random hosts, the host with fewer calls (Mitzenmacher 2001).
        case fewerCallsOfTwo
    }

    /// The hosts, in the order of their numbers.
    public var hosts: [SimulatedHost] {
        network.namedHosts?.noteHost(network.hosts.count - 1)
        return network.hosts
    }

    // Unchecked: neither property changes, and the network belongs to the simulation's thread, as documented.
    let network: FleetNetwork
    /// The host that calls through this fleet; nil if clients do.
    private let origin: Int?

    init(_ network: FleetNetwork, from origin: Int? = nil) {
        self.network = network
        self.origin = origin
    }

    /// Returns the host with this number.
    public func host(_ number: Int) -> SimulatedHost {
        network.namedHosts?.noteHost(number)
        return network.hosts[number]
    }

    /// Returns the host that has this name in its ``HostSettings``.
    ///
    /// An unknown name traps.
    public func host(named name: String) -> SimulatedHost {
        guard let number = network.number(named: name) else {
            preconditionFailure("no host has the name \(name)")
        }
        return host(number)
    }

    /// Sends a call to the host that it names, or to one that the fleet chooses.
    ///
    /// A client's stack wraps this function. The future settles in an event of the simulation. If you cancel the
    /// future, the host goes on working, unless ``HostSettings/finishesAbandonedCalls`` is false.
    ///
    /// - Returns: A future of the answer. It rejects with ``SimulatedFailure`` if the call fails, and with an
    ///   error that says so if you call `send` on another thread.
    @Sendable
    public func send(_ request: SimulatedRequest) -> Future<SimulatedResponse> {
        network.send(request, from: origin)
    }
}

extension Fleet {
    /// Separates hosts from the others: no message passes between the two sides.
    ///
    /// A call gets no answer if one of its messages is lost, even if the message was already under way when the
    /// partition began. Hosts on the same side still reach each other. If you make a second partition, its hosts are
    /// separated from all other hosts, including the hosts of the first partition.
    ///
    /// ```swift
    /// scenario.at(.seconds(30)) { $0.partition([2, 3]) }
    /// scenario.at(.seconds(40)) { $0.heal() }
    /// ```
    ///
    /// - Parameters:
    ///   - numbers: The numbers of the hosts. An unknown number traps.
    ///   - withClients: True to put the clients on the side of these hosts. By default they are with the other hosts.
    public func partition(_ numbers: [Int], withClients: Bool = false) {
        network.namedHosts?.noteHost(numbers.max() ?? -1)
        network.separate(numbers, withClients: withClients)
    }

    /// Ends all partitions.
    public func heal() { network.heal() }
}

extension Fleet {
    /// The base URL of requests to the fleet.
    ///
    /// A request names its host by number or by name, as in "http://3.fleet.test" and "http://database.fleet.test".
    public static let base = URL(string: "http://fleet.test")!

    // Disfavoured, so that `stack(.retry(), over: fleet.send)` needs no type annotation.

    /// Sends an HTTP request to the host that it names, or to one that the fleet chooses.
    ///
    /// This function is a transport for an `HTTPClient`. If the call succeeds, the response is the one that
    /// ``HostSettings/answer`` makes. The other responses have no body:
    ///
    /// - 503 if the queue is full, with Retry-After if ``HostSettings/retryAfter`` is set.
    /// - 500 if the host fails.
    /// - 502 if the host's own call to another host fails.
    /// - 504 if the host knows that the deadline has passed.
    ///
    /// - Returns: The response. The future rejects with `Endpoint.Error` if no transport would send the request, and
    ///   with an `HTTPError` with the code `cannotConnect` or `connectionLost` if the host is down or goes down.
    @_disfavoredOverload
    @Sendable
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        do { try request.validate() } catch { return Future(error: error) }
        let host = request.url.host().flatMap { number(of: $0) }
        return CallContext.current.exchange(request) {
            send(SimulatedRequest(number: 0, host: host))
                .map { [self] in network.hosts[$0.host].answer(to: request) }
                .flatMapError { error in Self.answer(to: request, for: error) }
        }
    }

    /// Nil if the URL names no host of the fleet.
    private func number(of host: String) -> Int? {
        let label = host.prefix { $0 != "." }
        return network.number(named: host) ?? network.number(named: String(label)) ?? Int(label)
    }

    private static func answer(
        to request: HTTPRequest, for error: any Error
    ) -> Future<HTTPResponse> {
        guard let failure = error as? SimulatedFailure else { return Future(error: error) }
        switch failure.code {
        case .queueFull: return Future(value: refusal(of: request, failure.retryAfter))
        case .failed: return Future(value: answer(500, to: request))
        case .downstreamFailed: return Future(value: answer(502, to: request))
        case .deadlinePassed: return Future(value: answer(504, to: request))
        case .unreachable: return Future(error: HTTPError(code: .cannotConnect, request: request))
        case .connectionLost:
            return Future(error: HTTPError(code: .connectionLost, request: request))
        }
    }

    private static func refusal(
        of request: HTTPRequest, _ retryAfter: Duration?
    ) -> HTTPResponse {
        guard let retryAfter else { return answer(503, to: request) }
        let seconds = Nanoseconds(retryAfter).seconds.rounded(.up)
        return answer(503, to: request, ["Retry-After": "\(Int(seconds))"])
    }

    private static func answer(
        _ status: Int, to request: HTTPRequest, _ headers: HTTPHeaders = [:]
    ) -> HTTPResponse {
        HTTPResponse(status: status, headers: headers, url: request.url, request: request)
    }
}

extension SimulatedHost {
    fileprivate func answer(to request: HTTPRequest) -> HTTPResponse {
        guard let answer = settings.answer else {
            return HTTPResponse(status: 200, url: request.url, request: request)
        }
        var response = answer(request)
        response.url = response.url ?? request.url
        response.request = request
        return response
    }
}
