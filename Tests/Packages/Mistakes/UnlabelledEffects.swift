import Foundation
// snippet: unlabelled-effects
import Pledge
import PledgeStores

enum SearchEvent: Sendable {
    case typed(String)
    case found([String])
}

func makeReducer(over client: HTTPClient) -> Reducer<[String], SearchEvent> {
    Reducer { titles, event in
        switch event {
        case .typed(let text):
            titles = []
            let search = Endpoint(path: "/search?q=\(text)")
            return .request(client.futures.send(search, as: [String].self)) { .found($0) }
        case .found(let found):
            titles = found
            return .none
        }
    }
}
// error: cannot assign to value: 'titles' is a 'let' constant
// end snippet
