// This one compiles: it is the cure of the two.
import Combine
import Pledge

// snippet: typealias
typealias Future = Pledge.Future
// end snippet

func load() -> Future<Int> {
    Promise(value: 7)
}

extension Future {
    func logged() -> Future<Value> { onFailure { error in print(error) } }
}
