import Pledge

func count(_ futures: [Future<Int>]) -> Int {
    // snippet: captured-var
    var sum = 0
    for future in futures {
        future.onSuccess { value in sum += value }
    }
    return sum
    // error: mutation of captured var 'sum' in concurrently-executing code
    // end snippet
}
