import Dispatch
import Foundation
import PledgeFutures
import PledgeHTTPNetworking
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

@Suite(.oneAtATime)
struct CurlTransportDeliveryTests {
    private let server: LoopbackServer

    init() throws { server = try LoopbackServer { .text($0.target) } }

    @Test func inlineIsTheTransportsThread() async throws {
        let transport = try CurlTransport.with(delivery: .inline) { _ in }
        let threads = TestLog<String?>()
        let seen = Promise<Void>()
        let go = Promise<Void>()
        let server = try LoopbackServer { request in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text(request.target).steps)
        }
        // The second call begins where the first one ends: on the transport's thread.
        transport.get(server).observe { _ in
            threads.append(Thread.current.name)
            transport.get(server).observe { _ in
                threads.append(Thread.current.name)
                seen.resolve()
            }
        }
        go.resolve()
        try await seen.soon
        #expect(threads.elements == ["Pledge.Curl", "Pledge.Curl"])
    }

    @Test func serialIsAQueueInTheOrderOfTheResponses() async throws {
        let queue = DispatchQueue(label: "results")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let transport = try CurlTransport.with(delivery: .serial(queue)) {
            // On one connection, the responses have the order of the requests.
            $0.maxConnectionsPerHost = 1
        }
        // An observer that is added after the response runs where it is added, so no response comes before
        // all are added.
        let go = Promise<Void>()
        let server = try LoopbackServer { request in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text(request.target).steps)
        }
        let log = TestLog<String>()
        let done = Locked(0)
        for number in 0..<100 {
            transport.get(server, "\(number)").observe { result in
                let isThere = DispatchQueue.getSpecific(key: key) == true
                log.append("\((try? result.get())?.text ?? "failed") \(isThere)")
                done.withLock { $0 += 1 }
            }
        }
        go.resolve()
        #expect(await comesTrue { done.withLock { $0 } == 100 })
        #expect(log.elements == server.requests.map { "\($0.target) true" })
    }

    @Test func concurrentLetsAnObserverBlock() async throws {
        let transport = CurlTransport.patient
        let gate = DispatchSemaphore(value: 0)
        let blocked = Promise<Void>()
        transport.get(server).observe { _ in
            blocked.resolve()
            gate.wait()
        }
        try await blocked.soon
        for number in 0..<20 {
            #expect(try await transport.get(server, "\(number)").soon.text == "/\(number)")
        }
        gate.signal()
    }

    @Test(arguments: ["inline", "serial", "concurrent"])
    func aBodyIsReadInOrder(name: String) async throws {
        let delivery: CurlTransport.Delivery =
            switch name {
            case "inline": .inline
            case "serial": .serial(DispatchQueue(label: "results"))
            default: .concurrent
            }
        let transport = try CurlTransport.with(delivery: delivery) { $0.maxUnreadBytes = 100 }
        let pieces = (0..<2_000).map { "\($0) " }
        let server = try LoopbackServer { _ in .chunked(pieces) }
        let response = try await transport.stream(HTTPRequest(.get, server.url)).soon
        var text = ""
        for try await chunk in response.body { text += String(decoding: chunk, as: UTF8.self) }
        #expect(text == pieces.joined())
    }
}
