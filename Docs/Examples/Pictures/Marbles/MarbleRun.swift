import Pledge
import PledgeSimulation

/// Futures on virtual time, each with the instants at which it was made and settled.
final class MarbleRun: Sendable {
    /// How a future ended.
    enum End: Equatable {
        case value(String)
        case failure(String)
        case cancelled
    }

    /// A future's time line; instants are in milliseconds.
    struct Line {
        let name: String
        /// Its place from above.
        let place: Int
        let start: Int
        var end: (at: Int, End)?
        fileprivate let result: @Sendable () -> End?
    }

    static let step = 10

    /// What the futures come from, as it is written in code.
    let code: String
    let scheduler = ManualScheduler()
    private let tracked = Locked<[Line]>([])

    init(_ code: String) { self.code = code }

    /// The lines, from above.
    var lines: [Line] { tracked.withLock { $0 }.sorted { $0.place < $1.place } }

    private var now: Int { Int(scheduler.now.offset / .milliseconds(1)) }

    /// Draws a future in a place, without an interest in it.
    @discardableResult
    func track<Value>(_ name: String, _ place: Int, _ future: Future<Value>) -> Future<Value> {
        let line = Line(name: name, place: place, start: now) {
            future.result.map { result in
                switch result {
                case .success(let value): .value("\(value)")
                case .failure(is CancellationError): .cancelled
                case .failure(let error as FutureError): .failure("\(error.code.rawValue)")
                case .failure(let error): .failure("\(type(of: error))")
                }
            }
        }
        tracked.withLock { $0.append(line) }
        return future
    }

    /// A future that succeeds after a while.
    func value<Value: Sendable>(_ value: Value, after milliseconds: Int) -> Future<Value> {
        Future(value: value).delay(.milliseconds(milliseconds), on: scheduler)
    }

    /// A future that fails after a while.
    func failure<Value: Sendable>(
        of type: Value.Type = Value.self, after milliseconds: Int
    ) -> Future<Value> {
        Future(value: ()).delay(.milliseconds(milliseconds), on: scheduler)
            .map { throw Broken() }
    }

    struct Broken: Error {}

    /// Lets time pass, and reads after each step what has settled.
    func run(for milliseconds: Int) {
        look()
        for _ in 0..<(milliseconds / Self.step) {
            scheduler.advance(by: .milliseconds(Self.step))
            look()
        }
    }

    private func look() {
        let time = now
        let open = tracked.withLock { $0 }.enumerated().filter { $0.element.end == nil }
        for (index, line) in open {
            guard let end = line.result() else { continue }
            tracked.withLock { $0[index].end = (time, end) }
        }
    }
}
