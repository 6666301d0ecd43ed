extension Way {
    /// Sends requests, a fixed number at a time; each way waits for its last request before it ends.
    init<Answer: Sendable>(
        _ name: String, at once: Int, _ request: @escaping @Sendable () async throws -> Answer
    ) {
        self.init(awaiting: name) { count in await makeRequests(count, at: once, request) }
    }

    /// Sends requests over a client that each round creates and warms up, outside the measured time.
    ///
    /// A client chooses the event loops of its connections by chance, and the choice changes the result a lot. With
    /// one client for all rounds, the benchmark would measure that choice.
    init<Client: Sendable, Answer: Sendable>(
        _ name: String, at once: Int, over make: @escaping @Sendable () -> Client,
        closing close: @escaping @Sendable (Client) async throws -> Void,
        _ request: @escaping @Sendable (Client) async throws -> Answer
    ) {
        self.init(measuring: name) { count in
            let client = make()
            await makeRequests(10 * once, at: once) { try await request(client) }
            let cost = await Cost.of {
                await makeRequests(count, at: once) { try await request(client) }
            }
            try! await close(client)
            return cost
        }
    }
}

private func makeRequests<Answer: Sendable>(
    _ count: Int, at once: Int, _ request: @escaping @Sendable () async throws -> Answer
) async {
    await withTaskGroup(of: Void.self) { group in
        for lane in 0..<once {
            group.addTask {
                for _ in stride(from: lane, to: count, by: once) { keep(try! await request()) }
            }
        }
    }
}
