import Foundation
import PledgeFutures
import PledgeHTTPClients
import PledgeHTTPMessages
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

@Suite(.oneAtATime) struct CurlTransportEventsTests {
    /// Numbered events after the ID that is asked for, on a connection that breaks in one way after the other.
    private func answer(to request: LoopbackRequest, number: Int) -> LoopbackAnswer {
        let last = request.header("Last-Event-ID").flatMap { Int($0) } ?? 0
        let text = (last + 1...last + 5).map { "id: \($0)\ndata: \($0)\n\n" }.joined()
        let sent = String(text.prefix(20 + number * 7 % 40))
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        switch number % 5 {
        case 0: return .raw("\(head)\r\n\(sent)")
        case 1: return .raw("\(head)Content-Length: 1000\r\n\r\n\(sent)")
        case 2:
            return .chunked(
                [sent], headers: ["Content-Type": "text/event-stream"], isComplete: false)
        case 3: return LoopbackAnswer([.send(Data("\(head)\r\n\(sent)".utf8)), .reset])
        default: return .hangUp
        }
    }

    @Test func aServerThatDropsConnectionsLosesAndRepeatsNoEvent() async throws {
        let count = Locked(0)
        let server = try LoopbackServer { request in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return answer(to: request, number: number)
        }
        defer { server.stop() }
        var client = HTTPClient(base: server.url, over: CurlTransport.patient)
        // The drops are many, and the test is about none of these.
        (client.circuitBreaker, client.attemptTimeout, client.deadline) = (nil, nil, nil)
        // A connection begins a second or more after the one before it.
        let scheduler = ManualScheduler()
        client.scheduler = scheduler
        let events = client.events(
            "/news", reconnecting: .init(delay: .zero, maxDelay: .zero), idleTimeout: nil)
        let read = Future {
            var data: [String] = []
            for try await event in events {
                data.append(event.data)
                if data.count == 40 { break }
            }
            return data
        }
        #expect(
            await comesTrue {
                scheduler.advance(by: .seconds(1))
                return read.isSettled
            })
        #expect(try await read.soon == (1...40).map { "\($0)" })
        #expect(server.requests.count > 10)
    }

    @Test func theIdleLimitOfTheEventsReplacesTheTransports() async throws {
        let (scheduler, goes) = (ManualScheduler(), Promise<Void>())
        let server = try LoopbackServer { _ in
            LoopbackAnswer(
                LoopbackAnswer.chunked(
                    ["data: 1\n\n"], headers: ["Content-Type": "text/event-stream"],
                    isComplete: false
                ).steps.dropLast() + [
                    .hold(goes), .body(Data("10\r\ndata: 2\n\ndata: 3\r\n".utf8)),
                    .body(Data("f\r\n\n\ndata: [DONE]\n\r\n2\r\n\n\n\r\n0\r\n\r\n".utf8)),
                ])
        }
        defer { server.stop() }
        let transport = try CurlTransport.with(on: scheduler) { $0.idleTimeout = .seconds(60) }
        var client = HTTPClient(base: server.url, over: transport)
        (client.attemptTimeout, client.deadline) = (nil, nil)
        let seen = Locked<[String]>([])
        for round in 1...2 {
            let chat = client.events("/chat", until: "[DONE]", idleTimeout: nil)
            let read = Future {
                for try await event in chat { seen.withLock { $0.append(event.data) } }
            }
            #expect(await comesTrue { seen.withLock { $0.count { $0 == "1" } } == round })
            scheduler.advance(by: .seconds(3_600))
            goes.resolve(with: ())
            try await read.soon
            #expect(await comesTrue { seen.withLock { $0.last } == "3" })
        }
        #expect(seen.withLock { $0 } == ["1", "2", "3", "1", "2", "3"])
        #expect(server.requests.count == 2)
    }
}
