import Foundation
import Pledge
import PledgeTesting
import Testing

@Suite struct LazyFunctionsTests {
    private let server = URL(string: "https://a.example")!
    private let other = URL(string: "https://b.example")!
    private let scheduler = ManualScheduler()

    /// A client whose server "a" always fails; counts the requests to the servers.
    private func client(_ count: Locked<Int>) -> HTTPClient {
        var client = HTTPClient(base: server) { request in
            count.withLock { $0 += 1 }
            return Future(
                value: HTTPResponse(status: request.url.host == "a.example" ? 503 : 200))
        }
        client.scheduler = scheduler
        client.retry = nil
        client.circuitBreaker = .perOrigin { CircuitBreaker(failuresInARow: 5, on: $0.scheduler) }
        return client
    }

    private func trip(_ client: HTTPClient) {
        for _ in 0..<5 { _ = client.send(HTTPRequest(server)) }
    }

    private func code<Value>(of future: Future<Value>) -> ServiceError.Code? {
        guard case .failure(let error as ServiceError) = future.result else { return nil }
        return error.code
    }

    @Test func eachOriginHasABreakerOfItsOwn() throws {
        let count = Locked(0)
        let client = client(count)
        trip(client)
        #expect(code(of: client.send(HTTPRequest(server))) == .circuitOpen)
        #expect(try client.send(HTTPRequest(other)).settledValue().status == 200)
        #expect(count.withLock { $0 } == 6)
    }

    @Test func streamAndSendShareTheBreaker() {
        let count = Locked(0)
        let client = client(count)
        trip(client)
        #expect(code(of: client.stream(HTTPRequest(server))) == .circuitOpen)
        #expect(count.withLock { $0 } == 5)
    }

    @Test func copiesShareTheBreakerUntilItsSlotIsChanged() {
        let count = Locked(0)
        let client = client(count)
        var copy = client
        trip(client)
        #expect(code(of: copy.send(HTTPRequest(server))) == .circuitOpen)
        copy.userAgent = "another"
        copy.retry = .init()
        #expect(code(of: copy.send(HTTPRequest(server))) == .circuitOpen)
        copy.circuitBreaker = .perOrigin()
        #expect(code(of: copy.send(HTTPRequest(server))) == nil)
        #expect(code(of: client.send(HTTPRequest(server))) == .circuitOpen)
    }

    @Test func aSharedBreakerIsForAllOrigins() {
        let count = Locked(0)
        var client = client(count)
        client.circuitBreaker = .sharing(CircuitBreaker(failuresInARow: 5, on: scheduler))
        trip(client)
        #expect(code(of: client.send(HTTPRequest(other))) == .circuitOpen)
    }

    @Test func manyThreadsThatComeFirstShareOneBudget() async throws {
        let count = Locked(0)
        var client = HTTPClient(base: server) { _ in
            count.withLock { $0 += 1 }
            return Future(value: HTTPResponse(status: 503))
        }
        client.retry = .init(attempts: 2, backoff: .constant(.zero))
        let shared = client
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { _ = try? await shared.send(HTTPRequest(self.server)).value }
            }
        }
        // One budget allows a retry of each of eight calls.
        #expect(count.withLock { $0 } == 16)
        #expect(shared.send(HTTPRequest(server)).result != nil)
    }

    @Test func theLogHasALineForEachExchange() throws {
        let lines = Locked<[String]>([])
        var client = client(Locked(0))
        client.circuitBreaker = nil
        client.retry = .init(attempts: 2, backoff: .constant(.zero))
        client.headers = ["X-API-Key": "s3cret"]
        client.log = .init(headers: true, events: true) { line in lines.withLock { $0.append(line) }
        }
        _ = client.send(HTTPRequest(server))
        let all = lines.withLock { $0 }
        #expect(all.filter { $0.contains("status=503") }.count == 2)
        #expect(all.contains { $0.contains("event=retrying") })
        #expect(!all.contains { $0.contains("s3cret") })
    }

    @Test func observersHearOfWhatTheCallerGets() {
        let metrics = ServiceMetrics()
        let recorder = CallRecorder()
        var client = HTTPClient(base: server) { _ in Future(value: HTTPResponse(status: 404)) }
        client.metrics = metrics
        client.observers = [recorder.observer]
        #expect(throws: HTTPError.self) {
            try client.networking(Endpoint(path: "/a")).settledValue()
        }
        let counted =
            #"pledge_call_duration_seconds_count{call="GET a.example",outcome="failure"} 1"#
        #expect(metrics.prometheusText.contains(counted))
        #expect(metrics.prometheusText.contains(#"health="healthy"} 1"#))
        #expect(recorder.lastCall?.waterfall(width: 20).contains("code=404 health=healthy") == true)
        // Where the status is accepted, the caller gets a response.
        client.acceptedStatuses = nil
        _ = client.send(HTTPRequest(server))
        #expect(metrics.prometheusText.contains(#"outcome="success"} 1"#))
    }

    @Test func aFallbackAroundTheClientIsInItsMetrics() async throws {
        let metrics = ServiceMetrics()
        var client = HTTPClient(base: server) { _ in Future(value: HTTPResponse(status: 404)) }
        client.metrics = metrics
        let lazily = stack(.fallback(Data()), over: client.networking)
        #expect(try lazily(Endpoint(path: "/a")).settledValue() == Data())
        let awaiting = stack(.fallback(Data())) { [client] (path: String) in
            Future { try await client.networking(Endpoint(path: "/a")).value }
        }
        #expect(try await awaiting("/a").value == Data())
        let text = metrics.prometheusText
        #expect(text.contains(#"policy="fallback",event="fell_back",reason=""} 2"#))
        #expect(text.contains(#"_count{call="GET a.example",outcome="failure"} 2"#))
    }

    @Test func bothFunctionsShareABreaker() {
        let count = Locked(0)
        let client = client(count)
        for _ in 1...10 { _ = client.networking(Endpoint(path: "/a")) }
        let before = count.withLock { $0 }
        #expect(code(of: client.send(HTTPRequest(server))) == .circuitOpen)
        #expect(count.withLock { $0 } == before)
    }

    @Test func metricsCountByMethodAndHost() {
        var client = client(Locked(0))
        let metrics = ServiceMetrics()
        client.metrics = metrics
        _ = client.send(HTTPRequest(other.appending(path: "secret")))
        let text = metrics.prometheusText
        #expect(text.contains(#"call="GET b.example""#))
        #expect(!text.contains("secret"))
    }
}
