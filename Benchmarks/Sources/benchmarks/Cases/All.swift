import Futures

extension Case {
    /// A hundred results, awaited together.
    static let allOf100 = Case(
        name: "all of 100",
        ways: [
            Way("Pledge") { count in
                for index in 0..<count {
                    let promises = (0..<100).map { _ in Promise<Int>() }
                    Future.all(promises).observe { keep($0) }
                    for promise in promises { promise.resolve(with: index) }
                }
            },
            Way(awaiting: "task group") { count in
                for index in 0..<count { keep(await sumOfTasks(100, each: index)) }
            },
        ]
    )
}

private func sumOfTasks(_ number: Int, each value: Int) async -> [Int] {
    await withTaskGroup(of: (Int, Int).self) { group in
        for place in 0..<number { group.addTask { (place, value) } }
        var values = Array(repeating: 0, count: number)
        for await (place, value) in group { values[place] = value }
        return values
    }
}
