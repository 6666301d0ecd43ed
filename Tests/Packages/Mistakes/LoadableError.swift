import Pledge

struct Product: Codable, Equatable, Sendable {
    var id = 7
    var name = "iPad Pro"
}

// snippet: loadable-error
struct Shelf: Equatable, Sendable {
    var products = Loadable<[Product], any Error>.idle
}
// error: type 'Shelf' does not conform to protocol 'Equatable'
// end snippet
