// This one compiles: it is the cure of the two.
// snippet: typealias
import Combine
import Pledge

typealias Future = Pledge.Future
// end snippet

func load() -> Future<Int> {
    Promise(value: 7)
}

extension Future {
    func logged() -> Future<Value> { onFailure { error in print(error) } }
}
