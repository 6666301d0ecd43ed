/// The least subset or number that still fails.
enum MinimalFailure {
    /// Removes elements as long as the rest still fails.
    ///
    /// It tries none at first, then without the one half, the other half, the quarters, and so on down to single
    /// elements, until no single one can be removed (the complements of Zeller and Hildebrandt, "Simplifying and
    /// isolating failure-inducing input", 2002). For n elements it makes at most n² + 3n tries, mostly far fewer.
    ///
    /// - Parameters:
    ///   - elements: What fails.
    ///   - fails: Whether a subset fails, in the order of the elements.
    /// - Returns: A subset that fails.
    static func subset<Element>(
        of elements: [Element], thatFails fails: ([Element]) -> Bool
    ) -> [Element] {
        if elements.isEmpty || fails([]) { return [] }
        var (least, size) = (elements, elements.count / 2)
        while size >= 1 {
            let count = least.count
            var start = 0
            while start < least.count {
                var rest = least
                rest.removeSubrange(start..<min(start + size, least.count))
                // The empty subset has been tried.
                if !rest.isEmpty, fails(rest) { least = rest } else { start += size }
            }
            if size > 1 || least.count == count { size /= 2 }
        }
        return least
    }

    /// Halves the distance between a number that does not fail and one that does.
    ///
    /// If larger numbers need not fail where smaller ones do, it is a number that fails, but not the least.
    ///
    /// - Parameters:
    ///   - upper: What fails.
    ///   - lower: The least number to try.
    ///   - fails: Whether a number fails.
    /// - Returns: A number that fails, after at most 1 + log₂(upper − lower) tries.
    static func number(
        upTo upper: Int, from lower: Int, thatFails fails: (Int) -> Bool
    ) -> Int {
        if upper <= lower || fails(lower) { return min(lower, upper) }
        var (passing, failing) = (lower, upper)
        while failing - passing > 1 {
            let middle = passing + (failing - passing) / 2
            if fails(middle) { failing = middle } else { passing = middle }
        }
        return failing
    }
}
