// snippet: combine
import Combine
import Pledge

func load() -> Future<Int> {
    Promise(value: 7)
}
// error: generic type 'Future' specialized with too few type parameters (got 1, but expected 2)
// end snippet
