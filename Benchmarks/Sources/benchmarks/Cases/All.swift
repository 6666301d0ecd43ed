import PledgeFutures

extension Case {
    /// Three results of different types, awaited together.
    static let zipOf3 = Case(
        name: "zip of 3",
        ways: [
            Way("Pledge") { count in
                for index in 0..<count {
                    let first = Promise<Int>()
                    let second = Promise<Int>()
                    let third = Promise<Int>()
                    zip(first, second, third).observe { keep($0) }
                    first.resolve(with: index)
                    second.resolve(with: index)
                    third.resolve(with: index)
                }
            },
            Way(awaiting: "async let") { count in
                for index in 0..<count {
                    async let first = opaque(index)
                    async let second = opaque(index)
                    async let third = opaque(index)
                    keep(await (first, second, third))
                }
            },
        ]
    )

    /// A hundred results, awaited together.
    static let allOf100 = Case(
        name: "all of 100",
        counted: 16,
        ways: [
            Way("Pledge") { count in resolveAll(of: 100, count) },
            Way(awaiting: "task group") { count in
                for index in 0..<count { keep(await valuesOfTasks(100, each: index)) }
            },
        ]
    )

    /// Ten thousand results, awaited together.
    static let allOf10000 = Case(
        name: "all of 10,000",
        counted: 1,
        ways: [
            Way("Pledge") { count in resolveAll(of: 10_000, count) },
            Way(awaiting: "task group") { count in
                for index in 0..<count { keep(await valuesOfTasks(10_000, each: index)) }
            },
        ]
    )
}

private func resolveAll(of number: Int, _ count: Int) {
    for index in 0..<count {
        let promises = (0..<number).map { _ in Promise<Int>() }
        Future.all(promises).observe { keep($0) }
        for promise in promises { promise.resolve(with: index) }
    }
}

private func valuesOfTasks(_ number: Int, each value: Int) async -> [Int] {
    await withTaskGroup(of: (Int, Int).self) { group in
        for place in 0..<number { group.addTask { (place, value) } }
        var values = Array(repeating: 0, count: number)
        for await (place, value) in group { values[place] = value }
        return values
    }
}
