import Futures

/// The first bytes of a body, and why they are not all of it.
struct BodyBeginning: Sendable {
    var data = Data()

    /// Nil where they are all.
    var missing: (any Error)?
}

extension HTTPBodyStream {
    /// The first bytes that are left, up to a limit; the rest is given up.
    ///
    /// It does not fail: what fails the stream is told beside the bytes that came before.
    func beginning(upTo limit: Int) -> Future<BodyBeginning> {
        let gathered = Locked(Data())
        return read(upTo: limit, gathered).recover { error in
            BodyBeginning(data: gathered.withLock { $0 }, missing: error)
        }
    }

    private func read(upTo limit: Int, _ gathered: Locked<Data>) -> Future<BodyBeginning> {
        next().flatMap { chunk in
            guard let chunk else {
                return Future(value: BodyBeginning(data: gathered.withLock { $0 }))
            }
            let isTooLong = gathered.withLock { data in
                let room = limit - data.count
                data.append(chunk.prefix(room))
                return chunk.count > room
            }
            guard isTooLong else { return self.read(upTo: limit, gathered) }
            self.cancel()
            return Future(error: HTTPError(code: .bodyTooLarge))
        }
    }
}
