import Pledge

// snippet: non-sendable
final class Cart {
    var items: [Int] = []
}

func loadCart() -> Future<Cart> {
    Future(value: Cart())
}
// error: type 'Cart' does not conform to the 'Sendable' protocol
// end snippet
