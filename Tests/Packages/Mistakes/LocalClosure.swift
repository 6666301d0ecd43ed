import Pledge

// snippet: local-closure
func priced(_ price: Future<Int>) -> Future<String> {
    let format: (Int) -> String = { price in "\(price) EUR" }
    return price.map(format)
}
// error: converting non-Sendable function value to '@Sendable (Int) throws -> String' may introduce data races
// end snippet
