import PledgeArticles

/// Actions run wherever they are called from, so they belong to no actor.
nonisolated let trim: Action<String, String> = { text, callback in
    callback(text.filter { $0 != " " })
}

nonisolated let greet: Action<String, String> = { name, callback in
    callback("Welcome, \(name)")
}
