/// Where an effect under way stands among the ids of its store.
struct EffectPath: Sendable {
    /// Its ids, the outermost first.
    let ids: [EffectID]
    /// What it waits for before it begins, if it does.
    let waitsFor: String?

    /// How it is named to a user.
    var name: String {
        let path =
            ids.isEmpty ? "an effect without an id" : ids.map(\.name).joined(separator: " > ")
        return waitsFor.map { "\(path), which waits for its \($0)" } ?? path
    }
}
