#if os(Linux)
import Foundation
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import TestSupport
import Testing

// MARK: - Silent flows

extension NetworkCheck {
    /// A connection that has answered says nothing any more.
    ///
    /// They prove that the call on it ends by its own limit with the error of this limit, and that the next call does
    /// not get the same connection.
    static let silence = [
        NetworkCheck(
            "silent flow", "the call ends by its timeout, and the next one is answered"
        ) { bench in
            try await bench.checkSilence(.silent) { try await bench.expectTimeout($0, over: $1) }
        },
        NetworkCheck(
            "silent answers", "the call ends at its deadline, and the next one is answered"
        ) { bench in
            try await bench.checkSilence(.silentAnswers) {
                try await bench.expectDeadline($0, over: $1)
            }
        },
        NetworkCheck(
            "silent HTTP/2 flow", "the call ends by its timeout, and the next one is answered",
            needsTLS: true
        ) { bench in
            guard let site = try await HTTP2Site.answering() else { return }
            defer { site.stop() }
            let network = try FaultyNetwork(to: site.frontPort)
            defer { network.stop() }
            let transport = try bench.make(site.settings)
            try await bench.expectOK(network.secureURL, over: transport)
            network.apply(.silent, to: 0)
            try await bench.expectTimeout(network.secureURL, over: transport)
            #expect(network.lostCount(0) > 0)
            try await bench.expectOK(network.secureURL, over: transport)
            #expect(network.flowCount == 2)
        },
    ]
}

extension NetworkBench {
    fileprivate func checkSilence(
        _ rule: FaultyNetwork.Rule,
        _ expectLimit: (URL, any HTTPTransport) async throws -> Void
    ) async throws {
        try await withKeptFlow { server, network, transport in
            network.apply(rule, to: 0)
            try await expectLimit(network.url(), transport)
            try await expectOK(network.url(), over: transport)
            // The call that hung was on the first flow, and was not sent again.
            #expect(network.flowCount == 2)
            let isSeen = if case .silentAnswers = rule { true } else { false }
            #expect(server.methods.elements.count == (isSeen ? 3 : 2))
        }
    }
}

// MARK: - Silent handshakes

extension NetworkCheck {
    /// A connection is accepted, and then nothing comes on it.
    ///
    /// They prove that only the call that has the connection waits: calls that come later don't wait for its
    /// handshake, and get another connection.
    static let handshakes = [
        NetworkCheck("silent accept", "only its own call waits for a connection without a word") {
            bench in
            let server = try NetworkServer()
            defer { server.stop() }
            let network = try FaultyNetwork(to: server.port) { $0 == 0 ? .silent : .healthy }
            defer { network.stop() }
            try await bench.checkHandshake(network, network.url(), try bench.transport())
        },
        NetworkCheck(
            "silent handshake", "only its own call waits for a handshake", needsTLS: true
        ) { bench in
            guard let site = try await HTTP2Site.answering() else { return }
            defer { site.stop() }
            let network = try FaultyNetwork(to: site.frontPort) { $0 == 0 ? .silent : .healthy }
            defer { network.stop() }
            try await bench.checkHandshake(
                network, network.secureURL, try bench.make(site.settings))
        },
    ]
}

extension NetworkBench {
    fileprivate func checkHandshake(
        _ network: FaultyNetwork, _ url: URL, _ transport: any HTTPTransport
    ) async throws {
        let first = transport.send(HTTPRequest(url))
        #expect(await comesTrue { network.lostCount(0) > 0 })
        try await expectOthersAnswered(url, beside: first, over: transport)
    }
}
#endif
