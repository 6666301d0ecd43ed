import Foundation
import Pledge
import PledgeStores

enum Event: Sendable { case typed(String), answered(Result<Product, any Error>) }
func search(_ find: @escaping @Sendable (String) -> Future<Product>) -> Store<Product?, Event> {
    Store(
        initialState: nil,
        reducer: Reducer(effects: { state, event in
            switch event {
            // expected-error@+1 {{type 'Event' has no member 'anwered'}}
            case .typed(let text): return .request(find(text)) { .anwered($0) }
            case .answered(let result):
                state = try? result.get()
                return .none
            }
        }))
}
