import Pledge

/// A client's connection, which only the server's loop uses.
final class LoopbackConnection {
    /// What the loop does next with the connection.
    enum Verdict {
        case keep
        /// Close it; nothing has failed.
        case close
        /// Close it, because the client hung up within a request or its answer.
        case hungUp
    }

    private enum Phase {
        /// No request.
        ///
        /// Next: `asked`, or `answering` if a request is invalid.
        case idle
        /// The test has the request, and hasn't answered yet.
        ///
        /// Next: `answering`.
        case asked(LoopbackRequest, Future<LoopbackAnswer>)
        /// The remaining steps of the answer are taken; bytes of earlier steps may still be unsent.
        ///
        /// Next: `held` or `idle`.
        case answering(LoopbackRequest, ArraySlice<LoopbackAnswer.Step>)
        /// A step waits for the test.
        ///
        /// Next: `answering`.
        case held(LoopbackRequest, ArraySlice<LoopbackAnswer.Step>)
    }

    let id: Int
    private let socket: Descriptor
    private let context: LoopbackContext
    private var reader = LoopbackRequestReader()
    private var unsent: ArraySlice<UInt8> = []
    private var phase = Phase.idle

    init(id: Int, socket: consuming Descriptor, context: LoopbackContext) {
        self.id = id
        self.socket = socket
        self.context = context
    }

    var descriptor: Int32 { socket.number }
    var hasUnsentBytes: Bool { !unsent.isEmpty }

    func receive(into buffer: inout [UInt8]) -> Verdict {
        while true {
            switch socket.receive(into: &buffer) {
            case .moved(let count):
                reader.append(buffer[..<count])
                if count < buffer.count { return goOn() }
            case .wouldWait:
                return goOn()
            case .gone:
                if case .idle = phase, !reader.isMidRequest { return .close }
                if case .asked(_, let answer) = phase { answer.cancel() }
                return .hungUp
            }
        }
    }

    /// Begins the test's answer to the current request.
    func answer(_ result: Result<LoopbackAnswer, any Error>) -> Verdict {
        guard case .asked(let request, _) = phase else { return .keep }
        switch result {
        case .success(let answer):
            phase = .answering(request, answer.steps[...])
        case .failure(let error):
            let text = LoopbackAnswer.text("the test gave no answer: \(error)", status: 500)
            phase = .answering(request, (text.steps + [.close])[...])
        }
        return goOn()
    }

    /// Goes on with the steps after a `hold`.
    func release() -> Verdict {
        guard case .held(let request, let steps) = phase else { return .keep }
        phase = .answering(request, steps)
        return goOn()
    }

    /// Does everything that's possible without waiting.
    func goOn() -> Verdict {
        while true {
            guard flush() else { return .hungUp }
            if hasUnsentBytes { return .keep }
            switch phase {
            case .asked, .held:
                return .keep
            case .answering(let request, let steps):
                if let verdict = follow(steps, of: request) { return verdict }
            case .idle:
                guard takeRequest() else { return .keep }
            }
        }
    }

    /// Performs the next step of an answer.
    ///
    /// - Returns: A verdict if the connection must wait or end now; nil to go on.
    private func follow(
        _ steps: ArraySlice<LoopbackAnswer.Step>,
        of request: LoopbackRequest
    ) -> Verdict? {
        guard let step = steps.first else {
            phase = .idle
            guard request.keepsConnection else {
                socket.finishSending()
                return .close
            }
            return nil
        }
        phase = .answering(request, steps.dropFirst())
        switch step {
        case .send(let bytes):
            unsent = ArraySlice(bytes)
        case .body(let bytes):
            if request.method != "HEAD" { unsent = ArraySlice(bytes) }
        case .hold(let future):
            phase = .held(request, steps.dropFirst())
            future.observe { [mailbox = context.mailbox, id] _ in
                mailbox.post(.goOn(connection: id))
            }
        case .close:
            socket.finishSending()
            return .close
        case .reset:
            socket.resetOnClose()
            return .close
        }
        return nil
    }

    /// Passes the next request to the test, if it's complete; returns true if there is more to do.
    private func takeRequest() -> Bool {
        do {
            guard var request = try reader.next() else {
                guard reader.awaitsContinue else { return false }
                reader.didSendContinue()
                unsent = ArraySlice("HTTP/1.1 100 Continue\r\n\r\n".utf8)
                return true
            }
            request.connection = id
            let answer = context.answer(to: request)
            phase = .asked(request, answer)
            answer.observe { [mailbox = context.mailbox, id] result in
                mailbox.post(.answer(result, connection: id))
            }
            return false
        } catch {
            let refusal = LoopbackAnswer.text("\(error)", status: 400)
            let request = LoopbackRequest(method: "", target: "", version: "")
            phase = .answering(request, (refusal.steps + [.close])[...])
            return true
        }
    }

    /// Sends as many bytes as it can; returns false if the client has closed the connection.
    private func flush() -> Bool {
        while hasUnsentBytes {
            switch socket.send(unsent) {
            case .moved(let count): unsent = unsent.dropFirst(count)
            case .wouldWait: return true
            case .gone: return false
            }
        }
        return true
    }
}

/// What all connections of a server share.
struct LoopbackContext: Sendable {
    let mailbox: LoopbackMailbox
    let log: LoopbackLog
    let handler: @Sendable (LoopbackRequest) -> Future<LoopbackAnswer>

    func answer(to request: LoopbackRequest) -> Future<LoopbackAnswer> {
        let answer = handler(request)
        log.noteEvent { $0.requests.append(request) }
        return answer
    }
}
