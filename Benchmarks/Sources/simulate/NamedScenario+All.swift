extension NamedScenario {
    /// All scenarios, in the order they are listed.
    static let all: [NamedScenario] = [
        .fleet, .fanOut, .leafTree, .hedgedReads, .metastable, .retryRules, .queueOrder,
        .retryLayers, .shardBreakers, .tokenRenewal, .retryAfter,
        .defaults, .admission, .shipped,
    ]
}
