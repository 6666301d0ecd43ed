import Pledge

/// The context that all connections of a server share.
struct LoopbackContext: Sendable {
    let mailbox: LoopbackMailbox
    let log: LoopbackLog
    let handler: @Sendable (LoopbackRequest) -> Future<LoopbackAnswer>

    /// Notes a request and asks the test for its answer.
    func answer(to request: LoopbackRequest) -> Future<LoopbackAnswer> {
        let answer = handler(request)
        log.note { $0.requests.append(request) }
        return answer
    }
}
