/// The ids that identify an effect under way in its store.
struct EffectPath: Sendable {
    /// Its ids, the outermost first.
    let ids: [EffectID]
    /// What it waits for before it begins, if it waits.
    let waitsFor: String?

    /// Its name in messages.
    var name: String {
        let path =
            ids.isEmpty ? "an effect without an id" : ids.map(\.name).joined(separator: " > ")
        return waitsFor.map { "\(path), which waits for its \($0)" } ?? path
    }
}
