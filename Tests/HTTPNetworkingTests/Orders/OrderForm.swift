import Foundation
import HTTPTestSupport
import PledgeComposition
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices

/// How a script calls the random server.
enum OrderForm: Sendable {
    /// With requests.
    case requests
    /// With a function that makes a request from a number.
    case function
    /// With a function of a number that first sends a query and then the request, or the reverse.
    case twice(isFirst: Bool)
    /// With a function that makes an endpoint from a number, and decodes the result or not.
    case network(isDecoded: Bool)

    /// Makes a random form.
    ///
    /// A server that does not record what it sends is known only by its errors, each of which names one
    /// request. So it gets no form that sends twice.
    static func draw(_ site: inout OrderSite, isTransport: Bool) -> OrderForm {
        switch site.number(0...5) {
        case 0...2: .requests
        case 3: .network(isDecoded: site.isTails())
        case 4 where isTransport: .twice(isFirst: site.isTails())
        default: .function
        }
    }

    /// Makes the service of layers, outermost first.
    func service(
        _ layers: [OrderedLayer], _ drawn: [OrderRequest], _ site: inout OrderSite,
        observers: [ServiceObserver]
    ) -> @Sendable (Int) -> Future<HTTPResponse?> {
        let observer = ServiceObserver(combining: observers)
        let server = site.server
        if case .requests = self {
            let inner = Self.stacked(layers.map { site.middleware($0) }, &site, over: server.send)
            let all =
                observers.isEmpty
                ? inner : stack(.observed(by: observer, on: site.scheduler), over: inner)
            return { call in
                do { return all(try drawn[call].request).map { $0 } } catch {
                    return Future(error: error)
                }
            }
        }
        let general = layers.prefix { $0.isGeneral }.count
        let outer = layers.prefix(site.number(0...general))
        if case .function = self, !server.isTransport { site.unproven = .never }
        let policies = outer.map { kind in
            site.policy(kind, coalesce: .coalesce(), substitute: Data()) as Middleware<Int, Data>
        }
        site.unproven = .allowed
        let http = Self.stacked(
            layers.dropFirst(outer.count).map { site.middleware($0) }, &site, over: server.send)
        // Beneath a function that sends twice, a limit applies to each request.
        if case .twice = self {
            for index in outer.count..<layers.count { site.limits[index] = nil }
        }
        let inner = Self.stacked(policies, &site, over: function(drawn, http))
        let all =
            observers.isEmpty
            ? inner : stack(.observed(by: observer, on: site.scheduler), over: inner)
        return { call in all(call).map { _ in nil } }
    }

    /// Puts layers around a service, some of them as a nested stack.
    private static func stacked<Input: Sendable, Output: Sendable>(
        _ layers: [Middleware<Input, Output>], _ site: inout OrderSite,
        over service: @escaping Service<Input, Output>
    ) -> Service<Input, Output> {
        let inner = Array(layers.suffix(site.number(0...layers.count)))
        let outer = Middleware(stacking: Array(layers.dropLast(inner.count)))
        guard site.isTails() else {
            return outer.around(Middleware(stacking: inner))(service)
        }
        return stack(outer, over: stack(Middleware(stacking: inner), over: service))
    }

    private func function(
        _ drawn: [OrderRequest], _ http: @escaping HTTPService
    ) -> Service<Int, Data> {
        let send: Service<Int, HTTPResponse> = { call in
            do { return http(try drawn[call].request) } catch { return Future(error: error) }
        }
        let ask = HTTPRequest(URL(string: "https://\(OrderServer.host)/first")!)
        switch self {
        case .requests, .function: return { send($0).map(\.body) }
        case .twice(isFirst: true):
            return { call in send(call).flatMap { _ in http(ask) }.map(\.body) }
        case .twice(isFirst: false):
            return { call in http(ask).flatMap { _ in send(call) }.map(\.body) }
        case .network(let isDecoded):
            let network = makeNetworking(over: http)
            return { call in
                do {
                    let data = network(try drawn[call].endpoint)
                    return isDecoded ? data.decoded(as: [Int].self).map { _ in Data() } : data
                } catch { return Future(error: error) }
            }
        }
    }
}
