import PledgeFutures

/// The first bytes of a body, and the reason if they are incomplete.
struct BodyBeginning: Sendable {
    var data = Data()

    /// Nil if they are complete.
    var missing: (any Error)?
}

extension HTTPBodyStream {
    /// The next bytes, up to a limit and until a time; the rest is given up.
    ///
    /// It does not fail: an error of the stream is returned together with the bytes before it.
    func beginning(
        upTo limit: Int, within time: Duration, on scheduler: some Scheduler
    ) -> Future<BodyBeginning> {
        let collected = Locked(Data())
        let read = read(upTo: limit, collected).timeout(time, on: scheduler) {
            HTTPError(code: .timedOut, reason: TimeLimit.errorBody(time).words)
        }
        return read.recover { error in
            BodyBeginning(data: collected.withLock { $0 }, missing: error)
        }
    }

    private func read(upTo limit: Int, _ collected: Locked<Data>) -> Future<BodyBeginning> {
        next().flatMap { chunk in
            guard let chunk else {
                return Future(value: BodyBeginning(data: collected.withLock { $0 }))
            }
            let isTooLong = collected.withLock { data in
                let room = limit - data.count
                data.append(chunk.prefix(room))
                return chunk.count > room
            }
            guard isTooLong else { return self.read(upTo: limit, collected) }
            self.cancel()
            return Future(error: HTTPError(code: .bodyTooLarge))
        }
    }
}
