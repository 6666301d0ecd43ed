/// The part of a future that holds the value.
///
/// `Future<Value>` inherits from `FutureStorage<Value?>`. So `Value?` is a generic argument: a deinit that is
/// not specialised finds it in the object's class, and does not have to look `Value?` up in the runtime's
/// table of types each time.
///
/// It is public only because ``Future`` inherits from it, and has no public members.
@_documentation(visibility: internal)
public class FutureStorage<Stored>: FutureNode, @unchecked Sendable {
    /// The value; nil until there is one.
    ///
    /// Written by the thread that has locked the word, or by a derived future's one deliverer; read only
    /// after an acquiring load of the word `value`.
    @usableFromInline @exclusivity(unchecked) final var storage: Stored

    @inlinable
    init(_ storage: Stored, word: UInt) {
        self.storage = storage
        super.init(word: word)
    }
}
