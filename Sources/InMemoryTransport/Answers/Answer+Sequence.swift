import PledgeFutures

extension MemoryTransport.Answer {
    /// Answers one after the other: each call takes the next, and the last one is repeated.
    ///
    /// Calls take them in the order in which they are made, whatever the latency. Each transport
    /// begins at the first. An empty sequence rejects with ``MemoryTransport/AnswerFailure``; to fail after
    /// the last answer, put ``failure(_:)`` at the end.
    public static func sequence(_ answers: [Self]) -> Self {
        guard let last = answers.indices.last else {
            return Self { call in
                throw MemoryTransport.AnswerFailure(
                    code: .emptySequence,
                    call: call,
                    subject: "a sequence",
                    cause: nil
                )
            }
        }
        return Self(makingResponder: {
            let responders = answers.map { $0.makeResponder() }
            let next = Locked(0)
            return { call in
                let index = next.withLock { next in
                    defer { next = min(next + 1, last) }
                    return next
                }
                return responders[index](call)
            }
        })
    }
}
