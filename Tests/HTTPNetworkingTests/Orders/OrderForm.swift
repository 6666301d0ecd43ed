import Composition
import Foundation
import Futures
import HTTPNetworking
import HTTPTestSupport
import Services

/// How a script calls the random server.
enum OrderForm: Sendable {
    /// By requests.
    case requests
    /// By a function of a number that makes a request of it.
    case function
    /// By a function of a number that asks, and then sends the request, or in the other order.
    case twice(isFirst: Bool)
    /// By a function of a number that makes an endpoint of it, and decodes what comes or not.
    case network(isDecoded: Bool)

    /// Draws one.
    ///
    /// What sends without saying so is known by its errors only, which tell of one request.
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
        // Beneath a function that sends twice, a limit is that of one request.
        if case .twice = self {
            for index in outer.count..<layers.count { site.limits[index] = nil }
        }
        let inner = Self.stacked(policies, &site, over: function(drawn, http))
        let all =
            observers.isEmpty
            ? inner : stack(.observed(by: observer, on: site.scheduler), over: inner)
        return { call in all(call).map { _ in nil } }
    }

    /// Puts layers around a service, some of them as a stack of their own.
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
