// Counts what one call of a client with its defaults costs, over a network that is a function: frames on the stack,
// allocations, and locked mutexes. Ends with status 1 if a number exceeds its limit.
//
//   one-call            the table
//   one-call --frames   the names of the frames, too, as glibc knows them

import CAllocations
import CCounts
import Foundation
import Pledge

let printsFrames = CommandLine.arguments.contains("--frames")

/// What a call costs.
struct Cost {
    /// The frames from the caller to the network, and from the network's answer to the caller's callback.
    var (down, up) = (0, 0)
    var (allocations, locks) = (0, 0)
}

/// A client over a network that answers a call at once, or when its answer is asked for.
final class Measurement: @unchecked Sendable {
    private let answersAtOnce: Bool
    private let response = HTTPResponse(status: 200, body: Data("{}".utf8))
    private var answer = Promise<HTTPResponse>()
    private var cost = Cost()
    /// The frames beneath the part that is measured.
    private var beneath = 0

    init(answersAtOnce: Bool) { self.answersAtOnce = answersAtOnce }

    func run() -> Cost {
        let client = HTTPClient(base: URL(string: "https://shop.example.com")) { request in
            self.send(request)
        }
        // The first calls create what later calls use.
        for _ in 0..<5 { call(client) }
        let rounds = 100
        let (allocations, locks) = (counted_allocations().allocations, counted_locks())
        count_allocations(true)
        count_locks(true)
        for _ in 0..<rounds { call(client) }
        count_allocations(false)
        count_locks(false)
        cost.allocations = Int(counted_allocations().allocations - allocations) / rounds
        cost.locks = Int(counted_locks() - locks) / rounds
        return cost
    }

    private func call(_ client: HTTPClient) {
        if !answersAtOnce { answer = Promise() }
        beneath = Int(frames())
        let result = client.futures.get("products")
        result.observe { _ in self.note(\.up) }
        if !answersAtOnce { answer.resolve(with: response) }
    }

    private func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        note(\.down)
        return answersAtOnce ? Future(value: response) : answer
    }

    /// Notes the frames above the part that is measured; the first time, with their names.
    private func note(_ direction: WritableKeyPath<Cost, Int>) {
        let isFirst = cost[keyPath: direction] == 0
        cost[keyPath: direction] = Int(frames()) - 1 - beneath
        guard printsFrames, isFirst, !answersAtOnce else { return }
        print(direction == \.down ? "down:" : "up:")
        print_frames(1)
    }
}

/// Prints a row of the table.
///
/// - Returns: False if a number exceeds its limit.
@MainActor func row(_ name: String, _ numbers: [(Int, limit: Int)]) -> Bool {
    let cells = numbers.map { "\($0) of \($1)".padding(toLength: 14, withPad: " ", startingAt: 0) }
    print(name.padding(toLength: 10, withPad: " ", startingAt: 0), cells.joined())
    return numbers.allSatisfy { $0 <= $1 }
}

/// The allocations of one run, of a hundred.
func allocations(of body: () -> Void) -> Int {
    for _ in 0..<5 { body() }
    let before = counted_allocations().allocations
    count_allocations(true)
    for _ in 0..<100 { body() }
    count_allocations(false)
    return Int(counted_allocations().allocations - before) / 100
}

/// What it costs to make a request of an endpoint, beyond the URL from its text.
func loweringAllocations() -> Int {
    let base = URL(string: "https://shop.example.com")!
    let text = "https://shop.example.com/products"
    let endpoint = Endpoint(path: "products", base: base)
    let url = allocations { _ = URL(string: text) }
    let request = allocations { _ = try? HTTPRequest(endpoint) }
    return request - url
}

let later = Measurement(answersAtOnce: false).run()
let atOnce = Measurement(answersAtOnce: true).run()
print("answered   frames down   frames up     allocations   locks")
let holds = [
    row("later", [(later.down, 50), (later.up, 50), (later.allocations, 45), (later.locks, 7)]),
    row(
        "at once",
        [(atOnce.down, 50), (atOnce.up, 50), (atOnce.allocations, 20), (atOnce.locks, 7)]),
]
let lowering = loweringAllocations()
print("an endpoint's request costs \(lowering) of 1 allocations beyond its URL")
exit(lowering <= 1 && holds.allSatisfy(\.self) ? 0 : 1)
