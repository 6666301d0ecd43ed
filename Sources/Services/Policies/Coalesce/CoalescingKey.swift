/// A named key of inputs: inputs with equal keys are the same to a service.
///
/// ```swift
/// extension CoalescingKey where Input == Query, Output == Hits, Key == String {
///     /// Anonymous searches share an answer; the others are nobody else's.
///     static var words: CoalescingKey {
///         CoalescingKey { query in query.user == nil ? query.words : nil }
///     }
/// }
/// let search = stack(.coalesce(by: .words), over: send)
/// ```
///
/// The output is part of the type because not every output can be shared: a stream can be read only once.
public struct CoalescingKey<Input: Sendable, Output: Sendable, Key: Hashable & Sendable> {
    /// The key of an input; nil for an input that shares nothing.
    public func callAsFunction(_ input: Input) -> Key? { key(input) }

    /// Makes a key.
    ///
    /// - Parameter key: Returns the key of an input, which must include everything that an answer depends on;
    ///   nil for an input that shares nothing. Called once a call, on the caller's thread.
    public init(_ key: @escaping @Sendable (Input) -> Key?) {
        self.key = key
        subject = nil
        changes = { _ in false }
    }

    /// Makes a key of inputs of which some change what others ask about.
    ///
    /// - Parameters:
    ///   - key: Returns the key of an input.
    ///   - subject: Returns what an input asks about, or changes.
    ///   - changes: Returns whether an input without a key changes its subject.
    package init(
        _ key: @escaping @Sendable (Input) -> Key?,
        about subject: @escaping @Sendable (Input) -> AnyHashable?,
        changing changes: @escaping @Sendable (Input) -> Bool
    ) {
        self.key = key
        self.subject = subject
        self.changes = changes
    }

    /// Returns what an input asks about, or changes; nil if nothing is known of that.
    let subject: (@Sendable (Input) -> AnyHashable?)?
    /// Whether an input without a key changes its subject.
    let changes: @Sendable (Input) -> Bool
    private let key: @Sendable (Input) -> Key?
}

extension CoalescingKey: Sendable {}
