import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import PledgeTesting
import TestSupport
import Testing

@testable import PledgeLibcurlTransport

/// The events that the transport reports to observers.
@Suite(.oneAtATime)
struct CurlTransportObservedTests {
    @Test func aWaterfallShowsByWhatConnectionAResponseCame() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let transport = CurlTransport.patient
        let recorder = CallRecorder()
        let send = stack(
            .observed(by: recorder.observer, named: { (_: HTTPRequest) in "load" }),
            over: transport.send)

        var notes: [String] = []
        for _ in 0..<2 {
            _ = try await send(HTTPRequest(.get, server.url)).value
            let waterfall = try #require(recorder.lastCall?.waterfall())
            notes += waterfall.split(separator: "\n").filter { $0.contains("* note") }.map(
                String.init)
        }

        let place = "HTTP/1.1 127.0.0.1:\(try #require(server.url.port))"
        try #require(notes.count == 4, "\(notes)")
        #expect(notes[0].contains("\(place), new"))
        #expect(notes[1].contains("connected") && notes[1].contains("first byte"))
        #expect(notes[2].contains("\(place), reused"))
        #expect(!notes[3].contains("connected") && notes[3].contains("first byte"))
        try await transport.close().value
    }

    @Test func aStreamedResponseIsToldOfAtItsHead() async throws {
        let server = try LoopbackServer { _ in .text("hello") }
        let transport = CurlTransport.patient
        let recorder = CallRecorder()
        let stream: HTTPStreamingService = stack(
            .observed(by: recorder.observer, named: { _ in "load" }), over: transport.stream)
        _ = try await stream(HTTPRequest(.get, server.url)).value.collected(upTo: 100).value
        #expect(recorder.lastCall?.waterfall().contains("* note") == true)
        try await transport.close().value
    }
}
