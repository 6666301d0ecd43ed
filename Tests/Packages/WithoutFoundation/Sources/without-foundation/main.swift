import PledgeComposition
import PledgeFutures
import PledgeServices

struct Busy: Error {}

let calls = Future(value: 2)
let load: @Sendable (Int) -> Future<Int> = { number in
    number > 1 ? calls.map { $0 * number } : Future(error: Busy())
}
let patient = stack(.retry(Retry(attempts: 2)), .timeout(.seconds(1)), over: load)
print(try await combine(21, with: patient)().value)
