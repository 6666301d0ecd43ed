import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPNetworking
import PledgeServices
import PledgeSimulation
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Hosts with names, and answers of one's choice.
@Suite struct FleetHTTPTests {
    private struct Product: Codable, Equatable, Sendable {
        let name: String
        let path: String
    }

    /// A catalogue that knows each product but "/404", and a host of another name that fails.
    private func shop() -> Scenario {
        var catalogue = HostSettings(serviceTime: .constant(.milliseconds(10)))
        catalogue.name = "catalogue"
        catalogue.answer = { request in
            if request.url.path == "/404" { return HTTPResponse(status: 404) }
            let product = Product(name: "a chair", path: request.url.path)
            let body = (try? JSONEncoder().encode(product)) ?? Data()
            return HTTPResponse(
                status: 200, headers: ["Content-Type": "application/json"], body: body)
        }
        var payments = HostSettings(serviceTime: .constant(.milliseconds(10)))
        payments.name = "pay.shop.com"
        payments.failureRate = 1
        return Scenario(
            hosts: [HostSettings(serviceTime: .constant(.zero)), catalogue, payments],
            arrivals: .even(rate: 1), duration: .seconds(2))
    }

    /// The end of one call to a URL.
    private func end(_ url: String) throws -> (Result<HTTPResponse, any Error>?, SimulationRun) {
        let url = try #require(URL(string: url))
        let results = TestLog<Result<HTTPResponse, any Error>>()
        let run = shop().run { world in
            { _ in
                let future: Future<HTTPResponse> = world.fleet.send(HTTPRequest(url))
                future.observe { results.append($0) }
                return future
            }
        }
        return (results.elements.first, run)
    }

    @Test func anAppDecodesWhatItsHostAnswers() throws {
        let products = TestLog<Product>()
        let run = shop().run { world in
            let base = URL(string: "http://catalogue.fleet.test")!
            var client = HTTPClient(base: base, over: world.fleet.send)
            client.scheduler = world.scheduler
            client.random = world.random
            let networking = client.networking
            return { call in
                networking(Endpoint(path: "/products/\(call.number)"))
                    .decoded(as: Product.self)
                    .map { products.append($0) }
            }
        }
        #expect(run.error == nil && run.goodput == 1)
        #expect(products.elements == [Product(name: "a chair", path: "/products/0")])
        #expect(run.hosts.map(\.name) == ["host 0", "catalogue", "pay.shop.com"])
        #expect(run.hosts.map(\.received) == [0, 1, 0])
    }

    @Test func anAnswerHasItsStatusAndItsRequest() throws {
        let response = try #require(try end("http://catalogue.fleet.test/404").0).get()
        #expect(response.status == 404 && response.body.isEmpty)
        #expect(response.url?.path == "/404" && response.request?.url.path == "/404")
        let chair = try #require(try end("http://CATALOGUE/7").0).get()
        #expect(chair.status == 200 && chair.headers["Content-Type"] == "application/json")
    }

    @Test func aHostIsNamedByItsWholeNameOrItsNumber() throws {
        let (answer, run) = try end("https://pay.shop.com/orders")
        #expect(try #require(answer).get().status == 500)
        #expect(run.hosts.map(\.received) == [0, 0, 1])
        #expect(try end("http://1.fleet.test/").1.hosts.map(\.received) == [0, 1, 0])
    }

    @Test func reportsHaveTheNames() throws {
        var scenario = shop()
        scenario.at(.milliseconds(500)) { $0.host(named: "catalogue").stop() }
        let errors = TestLog<String>()
        let run = scenario.run { world in
            { call in
                world.fleet.send(SimulatedRequest(number: call.number, host: 1))
                    .mapError { error in
                        errors.append("\(error)")
                        return error
                    }
            }
        }
        #expect(errors.elements == ["catalogue is down"])
        #expect(run.table().contains("\ncatalogue "))
        #expect(run.json().contains(#"{"number":1,"name":"catalogue","workers":1"#))
        #expect(run.json().contains(#"{"number":0,"workers":1"#))
    }
}
