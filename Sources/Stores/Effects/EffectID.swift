public import PledgeFutures

extension Effect {
    /// This effect with an id, so that other effects can replace it, wait for it or cancel it.
    ///
    /// Ids belong to one store: effects of two stores with the same id are independent.
    ///
    /// - Parameters:
    ///   - id: Any hashable value.
    ///   - policy: The rule if an earlier effect with this id has not ended yet. By default the new effect
    ///     replaces the earlier one. From then on, the replaced effect's events are no longer reduced, unless
    ///     they have already entered the middleware. An effect never replaces one that a newer event has asked for:
    ///     if such an effect is under way when an older sequence reaches a part with the id, the part doesn't begin
    ///     or, if it is serial, waits.
    /// - Returns: The same effect with an id. A ``none`` effect gets no id, so it replaces nothing. An effect
    ///   that only cancels other effects does get the id.
    public func id(_ id: some Hashable & Sendable, _ policy: EffectPolicy = .newest) -> Effect {
        isNone ? self : Effect(.identified(tree, EffectID(id), policy))
    }

    /// Cancels the effects with an id, whether they run or wait.
    ///
    /// An effect may be waiting for another effect, for a delay, or for the parts before it in a `concatenate`.
    /// The futures of the cancelled effects are cancelled, and their late results are discarded. If the id is
    /// throttled, its interval ends. If no effect has the id, nothing happens. Effects that come after this one
    /// in the same sequence are not cancelled, so `.concatenate(.cancel(id: 1), load.id(1))` cancels a load and
    /// begins a new one. Effects that newer events have asked for are not cancelled either, even if this
    /// cancellation waits in a sequence until after they have begun.
    ///
    /// - Parameter id: The id. Effects of other stores with the same id are not touched.
    public static func cancel(id: some Hashable & Sendable) -> Effect {
        Effect(.cancel(EffectID(id)))
    }
}

/// A rule for a new effect, if an earlier effect with the same id has not ended yet.
public enum EffectPolicy: Hashable, Sendable {
    /// The effect that the newest event has asked for runs.
    ///
    /// Earlier ones are cancelled, including those that have not begun, and their late results are discarded. If the id
    /// is throttled, its interval ends.
    case newest
    /// The oldest effect runs; later ones don't begin.
    case oldest
    /// All effects run, one after another, in order.
    ///
    /// Two effects can wait for each other forever: the second one waits for the first, while a part of the
    /// first waits for the second, directly or through other ids. To avoid that, always nest serial ids in the
    /// same order.
    case serial
}

extension Effect {
    /// This effect, delayed until a duration has passed without another effect of the same id.
    ///
    /// Each newcomer replaces the effect before it, even if that effect has begun. A ``none`` effect replaces
    /// nothing.
    ///
    /// - Parameters:
    ///   - id: Any hashable value.
    ///   - duration: The time that must pass without another effect of the id.
    ///   - scheduler: The clock.
    public func debounce(
        id: some Hashable & Sendable, for duration: Duration,
        on scheduler: some FutureScheduler = .live
    ) -> Effect {
        guard !isNone else { return self }
        return Effect(.delayed(tree, duration, scheduler)).id(id, .newest)
    }

    /// This effect, unless another one with the same id began within the last interval.
    ///
    /// The first effect begins at once. An effect that begins replaces an earlier one that is running, and leaves
    /// earlier ones that wait or have not begun. A ``none`` effect replaces nothing.
    ///
    /// - Parameters:
    ///   - id: Any hashable value. The interval ends early if you cancel the id, or if an effect with the id
    ///     and ``EffectPolicy/newest`` comes.
    ///   - interval: The shortest time from the beginning of one effect to the beginning of the next.
    ///   - latest: If true, the last effect that comes within the interval begins when the interval ends, and
    ///     starts another interval. If false, all effects that come within the interval are discarded.
    ///   - scheduler: The clock.
    public func throttle(
        id: some Hashable & Sendable, for interval: Duration, latest: Bool = true,
        on scheduler: some FutureScheduler = .live
    ) -> Effect {
        guard !isNone else { return self }
        let throttling = Throttling(interval: interval, keepsLatest: latest, scheduler: scheduler)
        return Effect(.throttled(tree, EffectID(id), throttling))
    }
}

@usableFromInline
struct Throttling: Sendable {
    /// The shortest time between the beginnings of two effects with the id.
    let interval: Duration
    /// True if the last effect that came within the interval begins at its end.
    let keepsLatest: Bool
    let scheduler: any FutureScheduler
}

/// An effect's id within one store.
///
/// Ids are equal if type and value are: `1`, `1.0` and `UInt8(1)` are three ids.
@usableFromInline
struct EffectID: Hashable, Sendable {
    private let base: any Hashable & Sendable

    init(_ base: any Hashable & Sendable) { self.base = base }

    @usableFromInline
    static func == (left: EffectID, right: EffectID) -> Bool {
        type(of: left.base) == type(of: right.base)
            && AnyHashable(left.base) == AnyHashable(right.base)
    }

    /// For messages.
    var name: String { String(reflecting: base) }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        ObjectIdentifier(type(of: base)).hash(into: &hasher)
        AnyHashable(base).hash(into: &hasher)
    }
}

extension Effect {
    /// For one element of a collection, cancels the effects with an id.
    ///
    /// ```swift
    /// case .remove(let id):
    ///     state.rows.removeAll { $0.id == id }
    ///     return .cancel(id: "load", of: id, in: \List.rows)
    /// ```
    ///
    /// - Parameters:
    ///   - id: The id that the element's reducer gave to the effects.
    ///   - element: The id of the element, or the key of a dictionary's value.
    ///   - elements: The key path of the collection, as passed to `Reducer.forEach`.
    public static func cancel<Whole, Elements>(
        id: some Hashable & Sendable, of element: some Hashable & Sendable,
        in elements: any WritableKeyPath<Whole, Elements> & Sendable
    ) -> Effect {
        Effect.cancel(id: id).ids(of: element, in: elements)
    }

    /// This effect, with its ids limited to one element of a collection.
    func ids<Whole, Elements>(
        of element: some Hashable & Sendable,
        in elements: any WritableKeyPath<Whole, Elements> & Sendable
    ) -> Effect {
        Effect(
            tree.map(id: {
                EffectID(ElementEffectID(id: $0, element: EffectID(element), elements: elements))
            }))
    }
}

/// An id that belongs to one element of a collection.
private struct ElementEffectID: Hashable, Sendable, CustomStringConvertible {
    let id: EffectID
    let element: EffectID
    let elements: any AnyKeyPath & Sendable

    var description: String { "\(id.name) of \(element.name)" }

    static func == (left: Self, right: Self) -> Bool {
        left.id == right.id && left.element == right.element && left.elements == right.elements
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(element)
    }
}
