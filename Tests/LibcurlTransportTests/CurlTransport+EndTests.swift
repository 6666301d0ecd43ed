import Dispatch
import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPMessages
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

@Suite(.oneAtATime)
struct CurlTransportEndTests {
    /// Never answers "/head", and never completes the answer to "/body".
    private func silentServer() throws -> LoopbackServer {
        let never = Promise<Void>()
        return try LoopbackServer { request in
            request.target == "/body"
                ? .stopping(after: "half", of: 8, until: never) : LoopbackAnswer([.hold(never)])
        }
    }

    @Test func closingEndsEveryCall() async throws {
        let transport = CurlTransport.patient
        let server = try silentServer()
        // More calls than connections, so that some of them wait for one.
        let calls = (0..<20).map { _ in transport.get(server, "head") }
        _ = try await server.received(8).soon
        let closed = transport.close()
        for call in calls { #expect(try await call.httpError.code == .transportClosed) }
        try await closed.soon
    }

    @Test func closingEndsBodiesOnTheirWay() async throws {
        let transport = CurlTransport.patient
        let server = try silentServer()
        let request = HTTPRequest(.get, server.url.appending(path: "body"))
        let response = try await transport.stream(request).soon
        #expect(try await response.body.next().soon == Data("half".utf8))
        let next = response.body.next()
        let source = ScriptedSource()
        let upload = transport.send(
            HTTPRequest(
                .post, server.url.appending(path: "head"),
                body: .stream(
                    HTTPRequest.BodySource(isReplayable: true) { source.stream() })))
        #expect(await comesTrue { source.asked == 1 })

        try await transport.close().soon

        #expect(try await next.httpError.code == .transportClosed)
        #expect(try await upload.httpError.code == .transportClosed)
        #expect(source.cancelled == 1)
        try await server.connectionsOpen(atMost: 0).soon
    }

    @Test func aClosedTransportRefusesCalls() async throws {
        let transport = CurlTransport.patient
        let server = try LoopbackServer { _ in .text("ok") }
        try await transport.close().soon
        try await transport.close().soon
        let request = HTTPRequest(.post, server.url, body: .data(Data([1])))
        let whole = try await transport.send(request).httpError
        #expect(whole.code == .transportClosed)
        #expect(whole.request == request)
        #expect(try await transport.stream(request).httpError.code == .transportClosed)
        #expect(server.acceptedConnections == 0)
    }

    @Test func cancellingTheEndOfATransportHarmsNobody() async throws {
        let transport = CurlTransport.patient
        let server = try silentServer()
        let call = transport.get(server, "head")
        _ = try await server.received(1).soon
        transport.close().cancel()
        #expect(try await call.httpError.code == .transportClosed)
        try await transport.close().soon
    }

    @Test func anObserverMayCloseItsTransport() async throws {
        for delivery in [CurlTransport.Delivery.inline, .concurrent] {
            let transport = try CurlTransport.with(delivery: delivery) { _ in }
            let server = try LoopbackServer { _ in .text("ok") }
            let ended = Promise<Void>()
            transport.get(server).observe { _ in
                transport.close().observe { _ in ended.resolve() }
            }
            try await ended.soon
        }
    }

    @Test func aReleasedTransportFinishesItsCallsAndLeavesNothingBehind() async throws {
        let go = Promise<Void>()
        let server = try LoopbackServer { request in
            request.target == "/body"
                ? .stopping(after: "half", of: 8, until: go, then: [.body(Data("done".utf8))])
                : LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("done").steps)
        }
        weak var transport: CurlTransport?
        let call: Future<HTTPResponse>
        let response: HTTPStreamedResponse
        do {
            let brief = CurlTransport.patient
            transport = brief
            call = brief.get(server, "head")
            response = try await brief.stream(
                HTTPRequest(.get, server.url.appending(path: "body"))
            ).soon
        }
        #expect(transport == nil)
        _ = try await server.received(2).soon
        go.resolve()
        #expect(try await call.soon.text == "done")
        #expect(try await response.body.collected(upTo: 8).soon == Data("halfdone".utf8))
        try await server.connectionsOpen(atMost: 0).soon
    }

    @Test func whileOthersCloseEachCallEnds() async throws {
        let server = try LoopbackServer { _ in .text("done") }
        for _ in 0..<40 {
            let transport = CurlTransport.patient
            let futures = Locked([Future<HTTPResponse>]())
            onThreads(4) { thread in
                for round in 0..<6 {
                    if thread == 0, round == 2 { transport.close() }
                    let future = transport.get(server)
                    futures.withLock { $0.append(future) }
                }
            }
            for future in futures.withLock({ $0 }) {
                switch await future.resultSoon {
                case .success(let response): #expect(response.text == "done")
                case .failure(let error):
                    #expect((error as? HTTPError)?.code == .transportClosed)
                }
            }
            try await transport.close().soon
        }
    }

    #if os(Linux)
    @Test func closingLeavesNoThreadAndNoDescriptor() async {
        // In a process in which no other test has any.
        await #expect(processExitsWith: .success) {
            let never = Promise<Void>()
            let server = try LoopbackServer { request in
                request.target == "/ok" ? .text("ok") : LoopbackAnswer([.hold(never)])
            }
            // Files that are opened once for the process: random numbers, certificates.
            do {
                let first = CurlTransport.patient
                _ = try await first.get(server, "ok").soon
                try await first.close().soon
            }
            #expect(await comesTrue { ProcessState.now.threads(named: "Pledge.Curl") == 0 })
            try await server.connectionsOpen(atMost: 0).soon
            let before = ProcessState.now.descriptorCount
            for _ in 0..<10 {
                let transport = CurlTransport.patient
                _ = try await transport.get(server, "ok").soon
                let calls = (0..<20).map { _ in transport.get(server, "never") }
                try await transport.close().soon
                for call in calls { #expect(call.isSettled) }
            }
            #expect(await comesTrue { ProcessState.now.threads(named: "Pledge.Curl") == 0 })
            try await server.connectionsOpen(atMost: 0).soon
            // The server may not have closed its end at the moment of the first count.
            #expect(await comesTrue { ProcessState.now.descriptorCount <= before })
        }
    }

    @Test func aClosedTransportThatIsKeptHasNoDescriptor() async {
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { _ in .text("ok") }
            do {
                let first = CurlTransport.patient
                _ = try await first.get(server, "ok").soon
                try await first.close().soon
            }
            #expect(await comesTrue { ProcessState.now.threads(named: "Pledge.Curl") == 0 })
            try await server.connectionsOpen(atMost: 0).soon
            let before = ProcessState.now.descriptorCount
            let transport = CurlTransport.patient
            _ = try await transport.get(server).soon
            try await transport.close().soon
            try await server.connectionsOpen(atMost: 0).soon
            // The server may not have closed its end at the moment of the first count.
            #expect(await comesTrue { ProcessState.now.descriptorCount <= before })
            withExtendedLifetime(transport) {}
        }
    }
    #endif
}

@Suite(.oneAtATime)
struct CurlTransportCancelTests {
    private let transport = CurlTransport.patient
    private let never = Promise<Void>()

    private func expectCancelled<Value>(_ future: Future<Value>) async {
        await #expect(throws: CancellationError.self) { try await future.soon }
    }

    @Test func aCallCanBeCancelledBeforeItStarts() async throws {
        let server = try LoopbackServer { [never] _ in LoopbackAnswer([.hold(never)]) }
        for _ in 0..<100 {
            let call = transport.get(server)
            call.cancel()
            await expectCancelled(call)
        }
        try await transport.close().soon
        try await server.connectionsOpen(atMost: 0).soon
    }

    @Test func aCallCanBeCancelledWhileItWaitsForAConnection() async throws {
        let transport = try CurlTransport.with { $0.maxConnectionsPerHost = 1 }
        let go = Promise<Void>()
        let server = try LoopbackServer { _ in
            LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("ok").steps)
        }
        let first = transport.get(server, "first")
        _ = try await server.received(1).soon
        let others = (0..<10).map { transport.get(server, "\($0)") }
        for call in others { call.cancel() }
        for call in others { await expectCancelled(call) }
        // The transport processes its commands in order: this answer shows that it has processed every
        // cancellation.
        let elsewhere = try LoopbackServer { _ in .text("ok") }
        #expect(try await transport.get(elsewhere).soon.text == "ok")
        go.resolve()
        #expect(try await first.soon.text == "ok")
        #expect(try await transport.get(server, "last").soon.text == "ok")
        #expect(server.requests.map(\.target) == ["/first", "/last"])
        #expect(server.acceptedConnections == 1)
    }

    @Test func aCallCanBeCancelledDuringTheHead() async throws {
        let server = try LoopbackServer { [never] request in
            let half = "HTTP/1.1 200 OK\r\nContent-Le"
            return request.target == "/ok"
                ? .text("ok") : LoopbackAnswer([.send(Data(half.utf8)), .hold(never)])
        }
        for streams in [false, true] {
            let request = HTTPRequest(.get, server.url)
            if streams {
                let call = transport.stream(request)
                _ = try await server.received(3).soon
                call.cancel()
                await expectCancelled(call)
            } else {
                let call = transport.send(request)
                _ = try await server.received(1).soon
                call.cancel()
                await expectCancelled(call)
            }
            try await server.connectionsOpen(atMost: 0).soon
            #expect(try await transport.get(server, "ok").soon.text == "ok")
            if !streams { continue }
            #expect(server.acceptedConnections == 3)
        }
    }

    @Test(arguments: ["by its reader", "by the call", "by release"])
    func aCallCanBeCancelledDuringAStreamedBody(way: String) async throws {
        let server = try LoopbackServer { [never] _ in
            .stopping(after: "half", of: 8, until: never)
        }
        let call = transport.stream(HTTPRequest(.get, server.url))
        do {
            let response = try await call.soon
            #expect(try await response.body.next().soon == Data("half".utf8))
            let next = response.body.next()
            if way == "by its reader" {
                response.body.cancel()
                await expectCancelled(next)
            } else if way == "by the call" {
                next.cancel()
                await expectCancelled(next)
            }
        }
        if way == "by release" { return }
        try await server.connectionsOpen(atMost: 0).soon
    }

    @Test func aCallCanBeCancelledAfterItsEnd() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        for _ in 0..<10 {
            let call = transport.get(server)
            #expect(try await call.soon.text == "ok")
            call.cancel()
            let response = try await transport.stream(HTTPRequest(.get, server.url)).soon
            #expect(try await response.body.collected(upTo: 2).soon == Data("ok".utf8))
            response.body.cancel()
        }
        #expect(server.acceptedConnections == 1)
    }
}
