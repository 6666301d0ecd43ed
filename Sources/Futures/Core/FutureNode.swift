public import Synchronization

/// The part of a future that does not depend on its type of value: its state, and those who wait.
///
/// This type is public only because ``Future`` inherits from it; it has no public members.
public class FutureNode: Waiter, @unchecked Sendable {
    /// What there is beside the word: the cancel handlers while pending, the error once failed.
    ///
    /// One field for both makes every future eight bytes smaller. The handlers are guarded by the lock,
    /// then by the claim. The error is written by the thread that claimed the word, or that holds its
    /// lock, and read only where an acquiring load found the word settled.
    @usableFromInline
    @exclusivity(unchecked)
    final var attachment = Attachment.none

    /// See ``attachment``.
    @usableFromInline
    enum Attachment {
        case none
        case failure(Failure)
        case handlers(CancelHandlers)
    }

    @inlinable
    override init(word: UInt) {
        super.init(word: word)
    }

    /// Hears that one of the inputs of this future has settled.
    ///
    /// Only an aggregate has inputs.
    /// - Returns: Whether the caller is to release this future, which it does not hold otherwise.
    func inputSettled(_ input: InputWaiter) -> Bool { false }

    /// Hears that the time of this future is over.
    ///
    /// Only one with a timeout has any.
    @usableFromInline
    func timeIsOver() {}
}

// MARK: - The word

extension FutureNode {
    /// Whether the future has settled.
    ///
    /// Acquiring: the result may be read if so.
    @inlinable
    package final var isSettled: Bool { word.load(ordering: .acquiring) & Word.settled != 0 }

    /// Whether the future has settled with a value.
    ///
    /// It asks for no generic type, so it costs next to nothing in generic code, where ``Future/result``
    /// would look up the type of its result at run time.
    @inlinable
    package final var hasSucceeded: Bool { word.load(ordering: .acquiring) == Word.value }

    /// The waiter that the pointer bits of a word name.
    final class func waiter(at word: UInt) -> Unmanaged<Waiter>? {
        UnsafeRawPointer(bitPattern: word & ~Word.flags).map(Unmanaged.fromOpaque)
    }

    /// The pointer bits that name a waiter.
    final class func address(of waiter: Unmanaged<Waiter>) -> UInt {
        UInt(bitPattern: waiter.toOpaque())
    }
}

// MARK: - What is attached

extension FutureNode {
    /// The error; nil if this has settled with a value.
    ///
    /// Asked of a settled future only.
    @inlinable
    final var failure: Failure? {
        if case .failure(let failure) = attachment { failure } else { nil }
    }

    /// What the producer wants to hear of a cancellation.
    ///
    /// Only a root has a producer.
    final var cancelHandlers: CancelHandlers? {
        if case .handlers(let handlers) = attachment { handlers } else { nil }
    }

    /// Puts the error in the place of a root's cancel handlers, before the word says so.
    ///
    /// - Returns: The handlers. The caller keeps them until nobody can find this claimed, closed or
    ///   locked any more: their last reference may run a user's deinit.
    final func attach(_ failure: Failure) -> CancelHandlers? {
        let handlers = cancelHandlers
        attachment = .failure(failure)
        return handlers
    }

    /// Takes a root's cancel handlers away, before the word says that there is a value.
    /// - Returns: As `attach`.
    final func takeHandlers() -> CancelHandlers? {
        guard let handlers = cancelHandlers else { return nil }
        attachment = .none
        return handlers
    }
}
