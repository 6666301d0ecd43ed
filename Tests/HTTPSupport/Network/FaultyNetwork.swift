#if os(Linux)
package import Foundation
import PledgeFutures

/// A network in front of a server of 127.0.0.1 that a test silences or breaks, flow by flow.
///
/// A flow is one connection of a client, counted from zero. The network is a proxy that forwards bytes, so it needs no
/// rights. What a flow does depends on its rule, and a test may wait for what has happened to it.
package final class FaultyNetwork: Sendable {
    /// What happens to the bytes of a flow from now on.
    package enum Rule: Sendable {
        /// All bytes arrive.
        case healthy
        /// No byte arrives on either side, and neither side is told.
        case silent
        /// The client's bytes arrive, the server's don't.
        case silentAnswers
        /// The client's bytes up to an end are lost, and answered by a reset, as by a server that was restarted.
        case forgotten(end: String)
        /// The client's bytes arrive; the server's next bytes are lost, and the client gets a reset instead.
        case forgottenAnswers
    }

    private let flows: Locked<[Int: Flow]>
    private let server: SocketServer

    /// Starts a network.
    ///
    /// - Parameters:
    ///   - port: The port of the server.
    ///   - place: The address for clients.
    ///   - rule: Returns the first rule of each flow, before a byte has passed.
    package init(
        to port: UInt16, at place: SocketServer.Place = .ipv4,
        _ rule: @escaping @Sendable (_ flow: Int) -> Rule = { _ in .healthy }
    ) throws {
        let flows = Locked<[Int: Flow]>([:])
        self.flows = flows
        server = try SocketServer(place) { connection in
            guard let end = Sockets.connect(toPort: port) else { return }
            let flow = Flow(connection, end, rule(connection.index))
            flows.withLock { $0[connection.index] = flow }
            flow.run()
        }
    }

    /// The port for clients.
    package var port: UInt16 { server.port }

    /// The URL of a path behind the network, over http.
    package func url(_ path: String = "/") -> URL { server.url(path) }

    /// How many flows have begun.
    package var flowCount: Int { server.acceptedConnections }

    /// How many of a client's bytes were lost.
    package func lostCount(_ flow: Int) -> Int { self[flow]?.lost ?? 0 }

    /// How many of the server's bytes arrived at the client's end.
    package func arrivedCount(_ flow: Int) -> Int { self[flow]?.arrived ?? 0 }

    /// Gives a flow a rule for the bytes that come from now on.
    package func apply(_ rule: Rule, to flow: Int) { self[flow]?.rule = rule }

    /// Resets a flow now, at both ends.
    package func reset(_ flow: Int) { self[flow]?.reset() }

    /// Ends all flows, and refuses further ones.
    package func stop() { server.stop() }

    private subscript(_ flow: Int) -> Flow? { flows.withLock { $0[flow] } }
}

/// One connection, which two threads forward.
private final class Flow: Sendable {
    private struct State {
        var rule: FaultyNetwork.Rule
        var lost = 0
        var arrived = 0
        /// Whether the client gets a reset at the end.
        var isReset = false
        /// Whether the descriptors may be closed by now.
        var hasEnded = false
    }

    private let client: SocketConnection
    private let server: Int32
    private let state: Locked<State>

    init(_ client: SocketConnection, _ server: Int32, _ rule: FaultyNetwork.Rule) {
        self.client = client
        self.server = server
        state = Locked(State(rule: rule))
    }

    var lost: Int { state.withLock { $0.lost } }
    var arrived: Int { state.withLock { $0.arrived } }
    var rule: FaultyNetwork.Rule {
        get { state.withLock { $0.rule } }
        set { state.withLock { $0.rule = newValue } }
    }

    /// Forwards until both sides are done; the client's connection is closed when this returns.
    func run() {
        let back = DispatchGroup()
        back.enter()
        Thread.detachNewThread { [self] in
            forwardBack()
            back.leave()
        }
        while let bytes = client.bytes(), passes(bytes) {}
        Sockets.shutDown(server)
        back.wait()
        state.withLock { state in
            state.hasEnded = true
            if state.isReset { client.resetAtEnd() }
        }
        Sockets.close(server)
    }

    func reset() {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.isReset = true
            // An orderly end would reach the client before the reset.
            client.stopReceiving()
            Sockets.shutDown(server)
        }
    }

    /// Forwards a client's bytes; returns false if the flow ends.
    private func passes(_ bytes: [UInt8]) -> Bool {
        let rule = state.withLock { state in
            if case .silent = state.rule { state.lost += bytes.count }
            if case .forgotten(let end) = state.rule {
                state.lost += bytes.count
                state.isReset = bytes.ends(with: end)
            }
            return state.rule
        }
        switch rule {
        case .healthy, .silentAnswers, .forgottenAnswers: return Sockets.send(bytes, to: server)
        case .silent: return true
        case .forgotten(let end): return !bytes.ends(with: end)
        }
    }

    private func forwardBack() {
        while let bytes = Sockets.receive(from: server) {
            switch rule {
            case .healthy:
                guard client.send(bytes) else { return }
                state.withLock { $0.arrived += bytes.count }
            case .silent, .silentAnswers: continue
            case .forgotten, .forgottenAnswers: return reset()
            }
        }
        let (isReset, rule) = state.withLock { ($0.isReset, $0.rule) }
        switch rule {
        case .silent, .silentAnswers: return
        case .healthy, .forgotten, .forgottenAnswers: if !isReset { client.shutDown() }
        }
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool {
        suffix(text.utf8.count) == Array(text.utf8)[...]
    }
}
#endif
