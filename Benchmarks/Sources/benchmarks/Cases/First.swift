import PledgeFutures

extension Case {
    /// The first success of ten results, where the first result is a failure.
    static let anyOf10 = Case(
        name: "any of 10",
        ways: [
            Way("Pledge") { count in
                for index in 0..<count {
                    let promises = (0..<10).map { _ in Promise<Int>() }
                    Future.any(promises).observe { keep($0) }
                    promises[0].reject(with: Refusal())
                    promises[1].resolve(with: index)
                }
            },
            Way(awaiting: "task group") { count in
                for index in 0..<count { keep(await firstSuccessOfTasks(10, value: index)) }
            },
        ]
    )

    /// The first of ten results, success or failure.
    static let raceOf10 = Case(
        name: "race of 10",
        ways: [
            Way("Pledge") { count in
                for index in 0..<count {
                    let promises = (0..<10).map { _ in Promise<Int>() }
                    Future.race(promises).observe { keep($0) }
                    promises[0].resolve(with: index)
                }
            },
            Way(awaiting: "task group") { count in
                for index in 0..<count { keep(await firstOfTasks(10, value: index)) }
            },
        ]
    )

    /// A failure that a value replaces.
    static let recoverAfterFailure = Case(
        name: "recover after a failure",
        ways: [
            Way("Pledge") { count in
                for _ in 0..<count {
                    let promise = Promise<Int>()
                    promise.recover { _ in 1 }.observe { keep($0) }
                    promise.reject(with: Refusal())
                }
            },
            Way("throw and catch") { count in
                for _ in 0..<count {
                    do { keep(try refuse()) } catch { keep(1) }
                }
            },
        ]
    )
}

/// The error of all cases that need one.
struct Refusal: Error {}

@_optimize(none)
private func refuse() throws -> Int { throw Refusal() }

private func firstSuccessOfTasks(_ number: Int, value: Int) async -> Int? {
    await withTaskGroup(of: Result<Int, any Error>.self) { group in
        for place in 0..<number {
            group.addTask { place == 0 ? .failure(Refusal()) : .success(value) }
        }
        while let result = await group.next() {
            guard let value = try? result.get() else { continue }
            group.cancelAll()
            return value
        }
        return nil
    }
}

private func firstOfTasks(_ number: Int, value: Int) async -> Int? {
    await withTaskGroup(of: Int.self) { group in
        for _ in 0..<number { group.addTask { value } }
        let first = await group.next()
        group.cancelAll()
        return first
    }
}
