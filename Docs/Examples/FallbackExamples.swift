import Foundation
// snippet: imports
import Pledge
// end snippet
// snippet: observing
import PledgeObservation
// end snippet
import Testing

/// The code of Docs/Policies/Fallback.md.
@Suite struct FallbackExamples {
    // snippet: rates
    struct Rates: Hashable, Sendable {
        var euro: Double
        var isStale = false
    }
    struct Offline: Error {}
    // end snippet

    private let loadRates: Service<String, Rates> = { _ in Future(error: Offline()) }

    @Test func anotherService() async throws {
        // snippet: to
        let loadRates: Service<String, Rates> = { _ in Future(error: Offline()) }
        let kept: Service<String, Rates> = { currency in
            Future(value: Rates(euro: currency == "DKK" ? 7.46 : 1, isStale: true))
        }
        let rates = stack(.fallback(to: kept), .retry(Retry(attempts: 1)), over: loadRates)
        // end snippet
        #expect(try await rates("DKK").value == Rates(euro: 7.46, isStale: true))
    }

    @Test func aValue() async throws {
        // snippet: value
        let loadSuggestions: Service<String, [String]> = { _ in Future(error: Offline()) }
        let suggestions = stack(.fallback([]), over: loadSuggestions)
        // end snippet
        #expect(try await suggestions("ple").value == [])
    }

    @Test func fromTheError() async throws {
        let loadRates = loadRates
        // snippet: error
        let rates = stack(
            .fallback { error in
                guard let error, error is Offline else { throw error ?? Offline() }
                return Rates(euro: 1, isStale: true)
            },
            over: loadRates)
        // end snippet
        #expect(try await rates("EUR").value.isStale)
    }

    @Test func aroundAClient() async throws {
        // snippet: client
        let server = URL(string: "https://api.example.com")!
        var client = HTTPClient(base: server) { _ in Future(value: HTTPResponse(status: 404)) }
        let metrics = ServiceMetrics()
        client.observers = [metrics.observer]
        let load = stack(.fallback(Data()), over: client.networking)
        // end snippet
        #expect(try await load(Endpoint(path: "/products")).value.isEmpty)
        let text = metrics.prometheusText
        #expect(text.contains(#"policy="fallback",event="fell_back",reason=""} 1"#))
        #expect(text.contains(#"outcome="failure"} 1"#))
    }

    @Test func onlyForSome() async throws {
        struct Unknown: Error {}
        let loadRates: Service<String, Rates> = { _ in Future(error: Unknown()) }
        // snippet: classifier
        let whenOffline = Classifier<Rates> { result in
            if case .failure(let error) = result, error is Offline { return .failure }
            return .ignorable
        }
        let rates = stack(.fallback(Rates(euro: 1), classifier: whenOffline), over: loadRates)
        // end snippet
        await #expect(throws: Unknown.self) { try await rates("EUR").value }
    }
}
