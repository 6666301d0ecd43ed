extension Way {
    /// Requests, so many at a time: each way waits for its last before it ends.
    init<Answer: Sendable>(
        _ name: String, at once: Int, _ request: @escaping @Sendable () async throws -> Answer
    ) {
        self.init(awaiting: name) { count in
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<once {
                    group.addTask {
                        for _ in stride(from: lane, to: count, by: once) {
                            keep(try! await request())
                        }
                    }
                }
            }
        }
    }
}
