import Foundation
import Pledge
import PledgeStores

enum Event: Sendable { case typed(String), answered(Result<Product, any Error>) }
func search(with client: HTTPClient) -> Store<Product?, Event> {
    Store(
        initialState: nil,
        // expected-error@+1 {{to parameter expecting synchronous function type}}
        reducer: Reducer(effects: { state, event in
            switch event {
            case .typed(let text): .request(try await client.get("/p/\(text)")) { .answered($0) }
            case .answered: .none
            }
        }))
}
