/// The name of an effect within one store.
///
/// Two ids are equal if their types and their values are equal: `1`, `1.0` and `UInt8(1)` are three ids.
@usableFromInline
struct EffectID: Hashable, Sendable {
    private let base: any Hashable & Sendable

    init(_ base: any Hashable & Sendable) { self.base = base }

    @usableFromInline
    static func == (left: EffectID, right: EffectID) -> Bool {
        type(of: left.base) == type(of: right.base)
            && AnyHashable(left.base) == AnyHashable(right.base)
    }

    /// Its name in messages.
    var name: String { String(reflecting: base) }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        ObjectIdentifier(type(of: base)).hash(into: &hasher)
        AnyHashable(base).hash(into: &hasher)
    }
}
