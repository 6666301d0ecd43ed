// snippet: ambiguous
import Combine
import Pledge

extension Future {
    func logged() -> Future<Value> { onFailure { error in print(error) } }
}
// error: 'Future' is ambiguous for type lookup in this context
// end snippet
