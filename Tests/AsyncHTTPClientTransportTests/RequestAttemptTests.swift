#if AsyncHTTPClient
import AsyncHTTPClient
import Foundation
import NIOCore
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPTransportKit
import PledgeServices
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeAsyncHTTPClientTransport

@Suite(.oneAtATime) struct RequestAttemptAgainTests {
    let transport = AHCTransport()

    /// A server that keeps its connections, and hangs up on the requests with the given numbers.
    private func server(hangingUpOn numbers: Set<Int>) throws -> LoopbackServer {
        let count = Locked(0)
        return try LoopbackServer { _ in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return numbers.contains(number) ? .hangUp : .text("\(number)")
        }
    }

    @Test func streamsAgainWhereAKeptConnectionIsLost() async throws {
        let server = try server(hangingUpOn: [1])
        #expect(try await transport.send(HTTPRequest(.get, server.url)).value.text == "0")
        let response = try await transport.stream(HTTPRequest(.get, server.url)).value
        #expect(try await response.body.collected(upTo: 9).value == Data("2".utf8))
    }

    @Test func doesNotSendAgainOverANewConnection() async throws {
        let server = try server(hangingUpOn: [0])
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(HTTPRequest(.get, server.url)).value
        }
        #expect(error?.code == .connectionLost)
        #expect(server.requests.count == 1)
    }

    @Test func doesNotSendAgainWhatMustNotBe() async throws {
        let server = try server(hangingUpOn: [1, 3])
        #expect(try await transport.send(HTTPRequest(.get, server.url)).value.text == "0")
        let post = HTTPRequest(.post, server.url, body: .data(Data("abc".utf8)))
        await #expect(throws: HTTPError.self) { try await transport.send(post).value }
        #expect(server.requests.count == 2)
        #expect(try await transport.send(HTTPRequest(.get, server.url)).value.text == "2")
        let once = HTTPRequest.BodySource(isReplayable: false) { HTTPBodyStream(Data([1])) }
        let put = HTTPRequest(.put, server.url, body: .stream(once))
        await #expect(throws: HTTPError.self) { try await transport.send(put).value }
        #expect(server.requests.count == 4)
    }

    @Test(arguments: [(Duration.seconds(60), true), (nil, true), (.zero, false)])
    func waitsOnWhereAsyncHTTPClientDoesNot(limit: Duration?, waitsOn: Bool) throws {
        let server = try server(hangingUpOn: [])
        var configuration = AHCTransport.Configuration()
        configuration.connectionWaitTimeout = limit
        let transport = AHCTransport(configuration)
        let post = HTTPRequest(.post, server.url, body: .data(Data("abc".utf8)))
        let exchange = try TransportExchange(
            post, for: .whole(InternalPromise()), within: transport.limits, on: .live)
        var call = try RequestAttempt(
            exchange, to: "", over: transport.borrowClient(for: "").pool.lease)
        for _ in 0..<10 {
            let control = RequestLifetime(call)
            let next = call.again(after: HTTPClientError.getConnectionFromPoolTimeout, control)
            #expect((next != nil) == waitsOn)
            #expect(call.again(after: HTTPClientError.connectTimeout, control) == nil)
            call = next ?? call
            control.endCall(with: CancellationError())
            #expect(call.again(after: HTTPClientError.getConnectionFromPoolTimeout, control) == nil)
        }
        let error = call.failure(HTTPClientError.getConnectionFromPoolTimeout) as? HTTPError
        #expect(error?.code == .timedOut)
        #expect(error?.reason == TimeLimit.freeConnection(limit ?? .zero).words)
        #expect(error?.isCertainlyUnsent == true && error?.advisedOutcome == .refusal)
    }

    @Test func knowsWhatHasNotBeenSent() throws {
        let transport = AHCTransport()
        let post = HTTPRequest(.post, URL(string: "https://a.test/")!)
        let exchange = try TransportExchange(
            post, for: .whole(InternalPromise()), within: transport.limits, on: .live)
        let call = try RequestAttempt(
            exchange, to: "", over: transport.borrowClient(for: "").pool.lease)
        let control = RequestLifetime(call)
        let errors: [(any Error, UnprocessedRequest.Reason?)] = [
            (HTTPClientError.cancelled, .leaving),
            (HTTPClientError.remoteConnectionClosed, .unsent),
            (ChannelError.ioOnClosedChannel, .unsent),
            (IOError(errnoCode: ECONNRESET, reason: "test"), nil),
            (HTTPClientError.connectTimeout, nil),
            (HTTPClientError.alreadyShutdown, nil),
        ]
        for (error, reason) in errors {
            let unsent = call.unsent(error)
            #expect((unsent as? UnprocessedRequest)?.reason == reason)
            #expect((call.again(after: unsent, control) != nil) == (reason == .leaving))
            let failure = call.failure(unsent) as? HTTPError
            #expect(failure?.isCertainlyUnsent == (reason != nil))
        }
        let failure = call.failure(call.unsent(ChannelError.eof)) as? HTTPError
        #expect(failure?.reason == "its connection ended before it was sent")
        let second = RequestAttempt(after: call, resends: 1)
        let later = second.failure(second.unsent(ChannelError.eof)) as? HTTPError
        #expect(later?.code == .connectionLost)
        #expect(later?.isCertainlyUnsent == false, "the first attempt may have arrived")
        transport.close(cancelling: true)
        #expect(call.failure(call.unsent(HTTPClientError.cancelled)) is CancellationError)
    }

    @Test func doesNotSendAgainForAnAppsClient() async throws {
        let client = HTTPClient()
        let transport = AHCTransport(client: client)
        let server = try server(hangingUpOn: [1])
        #expect(try await transport.send(HTTPRequest(.get, server.url)).value.text == "0")
        await #expect(throws: HTTPError.self) {
            try await transport.send(HTTPRequest(.get, server.url)).value
        }
        try await client.shutdown()
    }
}
#endif
