import Pledge

// snippet: captured-var
func total(_ futures: [Future<Int>]) -> Int {
    var sum = 0
    for future in futures {
        future.onSuccess { value in sum += value }
    }
    return sum
}
// error: mutation of captured var 'sum' in concurrently-executing code
// end snippet
