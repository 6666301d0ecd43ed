/// The name of an effect within one store.
///
/// Two are equal if their values are, as `AnyHashable` compares them: a string never equals a number.
@usableFromInline
struct EffectID: Hashable, Sendable {
    private let base: any Hashable & Sendable

    init(_ base: any Hashable & Sendable) { self.base = base }

    @usableFromInline
    static func == (left: EffectID, right: EffectID) -> Bool {
        AnyHashable(left.base) == AnyHashable(right.base)
    }

    /// How it is named to a user.
    var name: String { String(reflecting: base) }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        AnyHashable(base).hash(into: &hasher)
    }
}
