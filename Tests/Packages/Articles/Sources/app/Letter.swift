/// "Currying": an instance method is a curried function already.
// snippet: letter
final class Letter {
    private(set) var isOpen = false

    func open() { isOpen = true }
}
// end snippet
