import Pledge
import Testing

/// The states of a future, as futures went through them.
@Suite struct FutureMachinePictures {
    private struct Broken: Error {}

    private let run = MachineRun(startingIn: "pending")

    private func see(_ future: Future<Int>, _ cause: String) {
        let state =
            switch future.result {
            case nil: "pending"
            case .success: "succeeded"
            case .failure(is CancellationError): "cancelled"
            case .failure(let error as FutureError) where error.code == .abandoned: "abandoned"
            case .failure: "failed"
            }
        run.move(to: state, because: cause)
    }

    /// Goes back to a pending future without a transition.
    private func pending() -> Promise<Int> {
        run.begin(in: "pending")
        return Promise()
    }

    @Test func future() throws {
        let (waiting, other) = (pending(), Promise<Int>())
        waiting.follow(other)
        waiting.observe { _ in }
        see(waiting, "observe, map, follow")
        withExtendedLifetime(other) {}
        let resolved = pending()
        resolved.resolve(with: 7)
        see(resolved, "resolve(with: 7)")
        #expect(!resolved.resolve(with: 8) && !resolved.reject(with: Broken()))
        resolved.cancel()
        #expect(try resolved.result?.get() == 7)
        let rejected = pending()
        rejected.reject(with: Broken())
        see(rejected, "reject(with: error)")
        let cancelled = pending()
        cancelled.cancel()
        see(cancelled, "cancel()")
        var released: Promise<Int>? = pending()
        let derived = try #require(released?.map { $0 })
        released = nil
        see(derived, "its producer is released")
        try draw()
    }

    private func draw() throws {
        let picture = Picture(
            "future-states", title: "The states of a future",
            description: """
                A pending future stays pending while it is observed, transformed, or follows another one. resolve \
                makes it succeed, reject makes it fail, cancel makes it fail with CancellationError, and if its \
                producer is released it fails as abandoned. All four states are final.
                """)
        let places: [(String, String)] = [
            ("succeeded", "a value"), ("failed", "the error"), ("cancelled", "CancellationError"),
            ("abandoned", "FutureError.abandoned"),
        ]
        var states = [
            "pending": MachinePicture.State(middle: PicturePoint(x: 100, y: 130))
        ]
        var routes: [String: MachinePicture.Route] = [:]
        for (row, (name, note)) in places.enumerated() {
            let middle = PicturePoint(x: 520, y: 40 + Double(row) * 60)
            states[name] = .init(middle: middle, note: "final: \(note)")
            routes["pending → \(name)"] = .elbow(x: 210)
        }
        try MachinePicture(picture, states: states).drawn(run, routes: routes).check()
    }
}
